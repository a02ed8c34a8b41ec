/* DPDK's inline functions, macros and structures: ports, rings, and the loops that send and forward
 * packets. */

#include <errno.h>
#include <string.h>

#include <rte_eal.h>
#include <rte_errno.h>
#include <rte_eth_ring.h>
#include <rte_ethdev.h>
#include <rte_ether.h>
#include <rte_mbuf.h>
#include <rte_memzone.h>
#include <rte_ring.h>

/* LOCAL is an Ethernet type for experiments (IEEE 802). */
enum { BURST = 32, MOST_QUEUES = 2, BYTES = 64, LOCAL = 0x88b5 };

/* A packet's first bytes behind the Ethernet header. */
struct content {
	uint16_t queue;
	uint64_t number;
	uint64_t check;
} __attribute__((packed));

/* The packets of a port of which each comes back. */
struct aq_flow {
	struct rte_mempool *pool;
	uint64_t sent[MOST_QUEUES];
	uint64_t received[MOST_QUEUES];
	struct rte_mbuf *waiting[MOST_QUEUES][BURST];
	uint16_t waits[MOST_QUEUES];
	uint16_t port;
	uint16_t queues;
};

enum aq_fault { AQ_WELL = 0, AQ_ORDER = 1, AQ_CONTENT = 2, AQ_LATE = 3, AQ_MEMORY = 4 };

static const struct rte_ether_addr FROM = {{2, 0, 0, 0, 0, 1}};
static const struct rte_ether_addr TO = {{2, 0, 0, 0, 0, 2}};

static uint64_t check_of(uint64_t number)
{
	return (number + 1) * 0x9e3779b97f4a7c15ull;
}

static void fill(struct rte_mbuf *packet, uint16_t queue, uint64_t number)
{
	struct rte_ether_hdr *head = rte_pktmbuf_mtod(packet, struct rte_ether_hdr *);
	struct content *content = (struct content *)(head + 1);
	head->src_addr = FROM;
	head->dst_addr = TO;
	head->ether_type = rte_cpu_to_be_16(LOCAL);
	*content = (struct content){queue, number, check_of(number)};
	packet->data_len = packet->pkt_len = BYTES;
}

/* A packet has to come in its queue's order, with its content, and with its addresses exchanged. */
static enum aq_fault judge(struct aq_flow *flow, struct rte_mbuf *packet)
{
	const struct rte_ether_hdr *head = rte_pktmbuf_mtod(packet, const struct rte_ether_hdr *);
	const struct content *content = (const struct content *)(head + 1);
	if (content->queue >= flow->queues || content->check != check_of(content->number))
		return AQ_CONTENT;
	if (!rte_is_same_ether_addr(&head->dst_addr, &FROM) || !rte_is_same_ether_addr(&head->src_addr, &TO))
		return AQ_CONTENT;
	return content->number == flow->received[content->queue]++ ? AQ_WELL : AQ_ORDER;
}

static uint64_t sum(const uint64_t counts[MOST_QUEUES])
{
	return counts[0] + counts[1];
}

/* Receives a burst, and gives its memory back. */
static enum aq_fault receive(struct aq_flow *flow)
{
	struct rte_mbuf *packets[BURST];
	uint16_t count = rte_eth_rx_burst(flow->port, 0, packets, BURST);
	enum aq_fault fault = AQ_WELL;
	for (uint16_t at = 0; at < count && fault == AQ_WELL; at++)
		fault = judge(flow, packets[at]);
	if (count > 0)
		rte_pktmbuf_free_bulk(packets, count);
	return fault;
}

/* Sends a queue's waiting packets, or new ones. */
static void transmit(struct aq_flow *flow, uint16_t queue, uint64_t limit)
{
	struct rte_mbuf **waiting = flow->waiting[queue];
	if (flow->waits[queue] == 0) {
		uint64_t left = limit - RTE_MIN(limit, sum(flow->sent));
		unsigned int count = RTE_MIN(left, (uint64_t)BURST);
		if (count == 0 || rte_pktmbuf_alloc_bulk(flow->pool, waiting, count) != 0)
			return;
		for (unsigned int at = 0; at < count; at++)
			fill(waiting[at], queue, flow->sent[queue]++);
		flow->waits[queue] = count;
	}
	uint16_t count = rte_eth_tx_burst(flow->port, queue, waiting, flow->waits[queue]);
	flow->waits[queue] -= count;
	memmove(waiting, waiting + count, flow->waits[queue] * sizeof(*waiting));
}

/* Sends packets until there were `limit`, and receives them until all are back, or the clock says
 * `until`. */
int aq_run(struct aq_flow *flow, uint64_t limit, uint64_t until)
{
	enum aq_fault fault = AQ_WELL;
	while (fault == AQ_WELL && sum(flow->received) < limit && rte_rdtsc() < until) {
		for (uint16_t queue = 0; queue < flow->queues; queue++)
			transmit(flow, queue, limit);
		fault = receive(flow);
	}
	return fault;
}

/* Sends a packet when the one before has come back, and notes how long each takes. */
int aq_round_trips(struct aq_flow *flow, uint64_t count, uint32_t *ticks, uint64_t until)
{
	for (uint64_t at = 0; at < count; at++) {
		struct rte_mbuf *packet = rte_pktmbuf_alloc(flow->pool);
		if (packet == NULL)
			return AQ_MEMORY;
		fill(packet, 0, flow->sent[0]++);
		uint64_t begin = rte_rdtsc();
		while (rte_eth_tx_burst(flow->port, 0, &packet, 1) == 0)
			if (rte_rdtsc() > until) {
				rte_pktmbuf_free(packet);
				return AQ_LATE;
			}
		while (flow->received[0] < flow->sent[0]) {
			enum aq_fault fault = receive(flow);
			if (fault != AQ_WELL)
				return fault;
			if (rte_rdtsc() > until)
				return AQ_LATE;
		}
		ticks[at] = RTE_MIN(rte_rdtsc() - begin, (uint64_t)UINT32_MAX);
	}
	return AQ_WELL;
}

/* Whether `word` is `mine`. Counts the question in `beats`: calls of the port have come back. */
static int is_mine(const uint32_t *word, uint32_t mine, uint64_t *beats)
{
	__atomic_store_n(beats, *beats + 1, __ATOMIC_RELAXED);
	return __atomic_load_n(word, __ATOMIC_ACQUIRE) == mine;
}

/* Exchanges the addresses of each packet and sends it back, as DPDK's l2fwd does, for as long as
 * `word` is `mine`. */
void aq_forward(uint16_t port, const uint32_t *word, uint32_t mine, uint64_t *beats)
{
	while (is_mine(word, mine, beats)) {
		struct rte_mbuf *packets[BURST];
		uint16_t count = rte_eth_rx_burst(port, 0, packets, BURST);
		for (uint16_t at = 0; at < count; at++) {
			struct rte_ether_hdr *head = rte_pktmbuf_mtod(packets[at], struct rte_ether_hdr *);
			struct rte_ether_addr to = head->dst_addr;
			head->dst_addr = head->src_addr;
			head->src_addr = to;
		}
		for (uint16_t sent = 0; sent < count && is_mine(word, mine, beats);)
			sent += rte_eth_tx_burst(port, 0, packets + sent, count - sent);
	}
}

/* A port of DPDK's driver of rings; less than 0 on failure. */
int aq_port(const char *name, struct rte_ring *rx, struct rte_ring **tx, unsigned int queues, struct rte_mempool *pool)
{
	const struct rte_eth_conf none = {0};
	int port = rte_eth_from_rings(name, &rx, 1, tx, queues, rte_socket_id());
	if (port < 0 || rte_eth_dev_configure(port, 1, queues, &none) < 0)
		return -1;
	if (rte_eth_rx_queue_setup(port, 0, BURST, rte_socket_id(), NULL, pool) < 0)
		return -1;
	for (unsigned int queue = 0; queue < queues; queue++)
		if (rte_eth_tx_queue_setup(port, queue, BURST, rte_socket_id(), NULL) < 0)
			return -1;
	return rte_eth_dev_start(port) < 0 ? -1 : port;
}

/* Lets another driver's functions and queues move this process' packets of a port. */
void aq_replace(uint16_t port, eth_rx_burst_t rx, void **rx_queue, eth_tx_burst_t tx, void **tx_queues)
{
	struct rte_eth_fp_ops *ops = &rte_eth_fp_ops[port];
	ops->rxq.data = rx_queue;
	ops->txq.data = tx_queues;
	ops->rx_pkt_burst = rx;
	ops->tx_pkt_burst = tx;
}

/* DPDK's ring without the driver's statistics. */
uint16_t aq_ring_rx(void *ring, struct rte_mbuf **packets, uint16_t most)
{
	return rte_ring_dequeue_burst(ring, (void **)packets, most, NULL);
}

uint16_t aq_ring_tx(void *ring, struct rte_mbuf **packets, uint16_t most)
{
	return rte_ring_enqueue_burst(ring, (void **)packets, most, NULL);
}

/* Puts a number into a queue and takes it out, by functions of a driver. Returns how often it came
 * out. */
uint64_t aq_calls(eth_rx_burst_t rx, void *rx_queue, eth_tx_burst_t tx, void *tx_queue, uint64_t count)
{
	uint64_t right = 0;
	for (uint64_t number = 1; number <= count; number++) {
		struct rte_mbuf *out = (struct rte_mbuf *)number, *in = NULL;
		tx(tx_queue, &out, 1);
		right += rx(rx_queue, &in, 1) == 1 && in == out;
	}
	return right;
}

/* Does that by DPDK's inline functions. */
uint64_t aq_inline_calls(struct rte_ring *ring, uint64_t count)
{
	uint64_t right = 0;
	for (uint64_t number = 1; number <= count; number++) {
		void *out = (void *)number, *in = NULL;
		rte_ring_sp_enqueue(ring, out);
		right += rte_ring_sc_dequeue(ring, &in) == 0 && in == out;
	}
	return right;
}

/* The sides' ways of taking turns: one thread, many in order, relaxed tails, head and tail
 * together. */
struct rte_ring *aq_ring(const char *name, unsigned int count, int producers, int consumers)
{
	static const unsigned int OF_PRODUCERS[] = {RING_F_SP_ENQ, 0, RING_F_MP_RTS_ENQ, RING_F_MP_HTS_ENQ};
	static const unsigned int OF_CONSUMERS[] = {RING_F_SC_DEQ, 0, RING_F_MC_RTS_DEQ, RING_F_MC_HTS_DEQ};
	return rte_ring_create(name, count, rte_socket_id(), OF_PRODUCERS[producers] | OF_CONSUMERS[consumers]);
}

struct rte_mempool *aq_pool(const char *name, unsigned int count)
{
	return rte_pktmbuf_pool_create(name, count, 256, 0, RTE_PKTMBUF_HEADROOM + 2 * BYTES, rte_socket_id());
}

/* Memory that has a name, in all processes: `bytes` is 0 where it is to be found. */
void *aq_zone(const char *name, size_t bytes)
{
	const struct rte_memzone *zone =
		bytes > 0 ? rte_memzone_reserve_aligned(name, bytes, SOCKET_ID_ANY, 0, 128) : rte_memzone_lookup(name);
	return zone == NULL ? NULL : zone->addr;
}

const char *aq_why(void)
{
	return rte_strerror(rte_errno);
}

uint64_t aq_now(void)
{
	return rte_rdtsc();
}
