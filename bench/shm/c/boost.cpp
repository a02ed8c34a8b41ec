// The message queue of boost.interprocess, if the machine has its headers (Debian's libboost-dev).

#include <cstddef>

#include <boost/date_time/posix_time/posix_time_types.hpp>
#include <boost/interprocess/ipc/message_queue.hpp>

using boost::interprocess::message_queue;

namespace {
// How long a side waits for the other one.
const boost::posix_time::seconds PATIENCE(10);

boost::posix_time::ptime until() { return boost::posix_time::microsec_clock::universal_time() + PATIENCE; }
} // namespace

extern "C" {

void *aqueduct_boost_make(const char *name, std::size_t capacity, std::size_t bytes)
{
	try {
		message_queue::remove(name);
		return new message_queue(boost::interprocess::create_only, name, capacity, bytes);
	} catch (...) {
		return nullptr;
	}
}

void *aqueduct_boost_open(const char *name)
{
	try {
		return new message_queue(boost::interprocess::open_only, name);
	} catch (...) {
		return nullptr;
	}
}

// Returns 1 if it was sent, 0 if there is no room, and less if the queue failed.
int aqueduct_boost_send(void *queue, const void *message, std::size_t bytes, int waits)
{
	try {
		auto *to = static_cast<message_queue *>(queue);
		return waits ? to->timed_send(message, bytes, 0, until()) : to->try_send(message, bytes, 0);
	} catch (...) {
		return -1;
	}
}

// Returns 1 if a message of `bytes` bytes came, 0 if there is none, and less if the queue failed.
int aqueduct_boost_receive(void *queue, void *message, std::size_t bytes, int waits)
{
	try {
		auto *from = static_cast<message_queue *>(queue);
		message_queue::size_type found = 0;
		unsigned int priority = 0;
		bool came = waits ? from->timed_receive(message, bytes, found, priority, until())
				  : from->try_receive(message, bytes, found, priority);
		return !came ? 0 : found == bytes ? 1 : -1;
	} catch (...) {
		return -1;
	}
}

void aqueduct_boost_drop(void *queue, const char *name)
{
	delete static_cast<message_queue *>(queue);
	if (name != nullptr)
		message_queue::remove(name);
}

} // extern "C"
