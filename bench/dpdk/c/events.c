/* A pipeline of two stages over DPDK's software event device: a producer that also schedules, and a
 * worker. */

#include <string.h>

#include <rte_bus_vdev.h>
#include <rte_cycles.h>
#include <rte_eventdev.h>
#include <rte_service.h>

enum { BURST = 32, FLOWS = 64, TABLE = 1024, STAGES = 2, IN_FLIGHT = 2048 };
enum { PRODUCER = 0, WORKER = 1 };

/* A device, and how far its events are. */
struct aq_pipeline {
	uint64_t sent;
	uint64_t done __rte_cache_aligned;
	/* The number of the last event of each flow that has gone through, and one more. */
	uint64_t last[FLOWS];
	uint32_t service;
	uint8_t device;
	uint8_t is_out_of_order;
};

#ifdef AQUEDUCT_EVENT_DEVICE
/* The device's object file is linked because this is used. */
extern int aq_event_device;

int aq_has_event_device(void)
{
	return aq_event_device;
}
#endif

static int set_up(uint8_t device)
{
	struct rte_event_dev_info info;
	if (rte_event_dev_info_get(device, &info) < 0)
		return -1;
	struct rte_event_dev_config config = {
		.nb_event_queues = STAGES,
		.nb_event_ports = 2,
		.nb_events_limit = info.max_num_events,
		.nb_event_queue_flows = TABLE,
		.nb_event_port_dequeue_depth = info.max_event_port_dequeue_depth,
		.nb_event_port_enqueue_depth = info.max_event_port_enqueue_depth,
	};
	if (rte_event_dev_configure(device, &config) < 0)
		return -1;
	for (uint8_t queue = 0; queue < STAGES; queue++) {
		struct rte_event_queue_conf conf;
		if (rte_event_queue_default_conf_get(device, queue, &conf) < 0)
			return -1;
		conf.schedule_type = RTE_SCHED_TYPE_ATOMIC;
		conf.nb_atomic_flows = conf.nb_atomic_order_sequences = TABLE;
		if (rte_event_queue_setup(device, queue, &conf) < 0)
			return -1;
	}
	for (uint8_t port = PRODUCER; port <= WORKER; port++)
		if (rte_event_port_setup(device, port, NULL) < 0)
			return -1;
	const uint8_t queues[STAGES] = {0, 1};
	return rte_event_port_link(device, WORKER, queues, NULL, STAGES) == STAGES ? 0 : -1;
}

/* Makes the device of that driver, and starts it: 0, or less on failure. */
int aq_pipeline(struct aq_pipeline *pipeline, const char *name)
{
	memset(pipeline, 0, sizeof(*pipeline));
	if (rte_vdev_init(name, NULL) < 0)
		return -1;
	int device = rte_event_dev_get_dev_id(name);
	if (device < 0 || set_up(device) < 0)
		return -1;
	pipeline->device = device;
	if (rte_event_dev_service_id_get(device, &pipeline->service) < 0)
		return -1;
	if (rte_service_runstate_set(pipeline->service, 1) < 0)
		return -1;
	rte_service_set_runstate_mapped_check(pipeline->service, 0);
	return rte_event_dev_start(device);
}

/* Runs the tests that the driver brings: 0 if all pass. */
int aq_event_self_test(const char *name)
{
	if (rte_vdev_init(name, NULL) < 0)
		return -1;
	int device = rte_event_dev_get_dev_id(name);
	return device < 0 ? -1 : rte_event_dev_selftest(device);
}

/* Sends events until there were `limit`, and schedules until all have gone through, or the clock
 * says `until`. */
void aq_pipeline_run(struct aq_pipeline *pipeline, uint64_t limit, uint64_t until)
{
	struct rte_event events[BURST];
	for (;;) {
		uint64_t done = __atomic_load_n(&pipeline->done, __ATOMIC_ACQUIRE);
		if (done == limit || rte_rdtsc() > until)
			return;
		uint64_t room = RTE_MIN(limit - pipeline->sent, IN_FLIGHT - (pipeline->sent - done));
		uint16_t count = RTE_MIN(room, (uint64_t)BURST);
		for (uint16_t at = 0; at < count; at++) {
			uint64_t number = pipeline->sent + at;
			events[at] = (struct rte_event){.flow_id = number % FLOWS, .op = RTE_EVENT_OP_NEW, .queue_id = 0,
				.sched_type = RTE_SCHED_TYPE_ATOMIC, .u64 = number};
		}
		if (count > 0)
			pipeline->sent += rte_event_enqueue_new_burst(pipeline->device, PRODUCER, events, count);
		rte_service_run_iter_on_app_lcore(pipeline->service, 1);
	}
}

/* Hands the events of the first stage to the second, and judges the order of those of the
 * second. */
void aq_pipeline_work(struct aq_pipeline *pipeline, const uint32_t *word, uint32_t mine)
{
	struct rte_event events[BURST];
	while (__atomic_load_n(word, __ATOMIC_ACQUIRE) == mine) {
		uint16_t count = rte_event_dequeue_burst(pipeline->device, WORKER, events, BURST, 0);
		uint64_t ended = 0;
		for (uint16_t at = 0; at < count; at++) {
			if (events[at].queue_id == 0) {
				events[at].queue_id = 1;
				events[at].op = RTE_EVENT_OP_FORWARD;
				continue;
			}
			/* A flow's events differ by the number of flows. */
			uint64_t *last = &pipeline->last[events[at].flow_id];
			uint64_t expected = *last == 0 ? events[at].flow_id : *last - 1 + FLOWS;
			pipeline->is_out_of_order |= events[at].u64 != expected;
			*last = events[at].u64 + 1;
			events[at].op = RTE_EVENT_OP_RELEASE;
			ended++;
		}
		for (uint16_t sent = 0; sent < count && __atomic_load_n(word, __ATOMIC_ACQUIRE) == mine;)
			sent += rte_event_enqueue_burst(pipeline->device, WORKER, events + sent, count - sent);
		if (ended > 0)
			__atomic_store_n(&pipeline->done, pipeline->done + ended, __ATOMIC_RELEASE);
	}
}
