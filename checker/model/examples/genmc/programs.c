/* The programs of `programs.rs` for GenMC, one by the macros COUNTER, TICKET, RING, SPARSE, WRITERS, FENCES, DEQUE, STACK
 * or QUEUE. Nodes are never freed. */

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

#define rlx memory_order_relaxed
#define acq memory_order_acquire
#define rel memory_order_release
#define load(word, order) atomic_load_explicit(word, order)
#define store(word, value, order) atomic_store_explicit(word, value, order)
#define add(word) atomic_fetch_add_explicit(word, 1, rlx)
#define exchange(word, old, new, order, failure) atomic_compare_exchange_strong_explicit(word, old, new, order, failure)

typedef _Atomic(uint64_t) word_t;

static void start(int threads, void *(*body)(void *))
{
	for (int thread = 0; thread < threads; thread++) {
		pthread_t handle;
		if (pthread_create(&handle, NULL, body, (void *)(intptr_t)thread))
			abort();
	}
}

#if defined(COUNTER)

static word_t counter;

static void *body(void *thread)
{
	for (int round = 0; round < ROUNDS; round++)
		add(&counter);
	return NULL;
}

int main()
{
	start(COUNTER, body);
}

#elif defined(TICKET)

static word_t next_ticket, owner, data;

static void *body(void *thread)
{
	uint64_t ticket = add(&next_ticket);
	while (load(&owner, acq) != ticket)
		;
	store(&data, load(&data, rlx) + 1, rlx);
	store(&owner, ticket + 1, rel);
	return NULL;
}

int main()
{
	start(TICKET, body);
}

#elif defined(RING)

static word_t head, tail, slots[2];

static void *produce(void *thread)
{
	for (uint64_t item = 0; item < RING; item++) {
		while (item - load(&head, acq) >= 2)
			;
		store(&slots[item % 2], item + 1, rlx);
		store(&tail, item + 1, rel);
	}
	return NULL;
}

int main()
{
	start(1, produce);
	for (uint64_t item = 0; item < RING; item++) {
		while (load(&tail, acq) <= item)
			;
		assert(load(&slots[item % 2], rlx) == item + 1);
		store(&head, item + 1, rel);
	}
}

#elif defined(SPARSE)

static word_t counter, own[SPARSE];

static void *body(void *thread)
{
	for (int round = 0; round < ROUNDS; round++) {
		for (uint64_t value = 0; value < 4; value++) {
			store(&own[(intptr_t)thread], value, rlx);
			load(&own[(intptr_t)thread], rlx);
		}
		add(&counter);
	}
	return NULL;
}

int main()
{
	start(SPARSE, body);
}

#elif defined(WRITERS)

static word_t word;

static void *writer(void *thread)
{
	store(&word, (intptr_t)thread + 1, rlx);
	return NULL;
}

static void *reader(void *thread)
{
	for (int round = 0; round < ROUNDS; round++)
		load(&word, rlx);
	return NULL;
}

int main()
{
	start(WRITERS, writer);
	start(READERS, reader);
}

#elif defined(FENCES)

static word_t words[FENCES];

static void *body(void *thread)
{
	intptr_t at = (intptr_t)thread;
	store(&words[at], 1, rlx);
	atomic_thread_fence(memory_order_seq_cst);
	load(&words[(at + 1) % FENCES], rlx);
	load(&words[(at + 2) % FENCES], rlx);
	return NULL;
}

int main()
{
	start(FENCES, body);
}

#elif defined(DEQUE)

static word_t bottom, top, slots[10];

static void push(uint64_t item)
{
	uint64_t b = load(&bottom, rlx), t = load(&top, acq);
	if ((int64_t)(b - t) < 10) {
		store(&slots[b % 10], item, rlx);
		store(&bottom, b + 1, rel);
	}
}

static void take(void)
{
	uint64_t b = load(&bottom, rlx);
	store(&bottom, b - 1, rlx);
	atomic_thread_fence(memory_order_seq_cst);
	uint64_t t = load(&top, rlx);
	int64_t items = (int64_t)(b - t);
	if (items <= 0) {
		store(&bottom, b, rlx);
		return;
	}
	load(&slots[(b - 1) % 10], rlx);
	if (items == 1) {
		exchange(&top, &t, t + 1, memory_order_acq_rel, acq);
		store(&bottom, b, rlx);
	}
}

static void *steal(void *thread)
{
	uint64_t t = load(&top, rlx);
	atomic_thread_fence(memory_order_seq_cst);
	uint64_t b = load(&bottom, acq);
	if ((int64_t)(b - t) > 0) {
		load(&slots[t % 10], rlx);
		exchange(&top, &t, t + 1, rel, rlx);
	}
	return NULL;
}

static void *own(void *thread)
{
	for (uint64_t item = 1; item <= 5; item++)
		push(item);
	for (int round = 0; round < 3; round++)
		take();
	for (uint64_t item = 6; item <= 7; item++)
		push(item);
	return NULL;
}

int main()
{
	start(1, own);
	start(DEQUE, steal);
}

#else

struct node {
	word_t value;
	_Atomic(struct node *) next;
};

#if defined(STACK)

static _Atomic(struct node *) top;

static void push(uint64_t value)
{
	struct node *new = malloc(sizeof(struct node));
	store(&new->value, value, rlx);
	while (true) {
		struct node *old = load(&top, acq);
		store(&new->next, old, rlx);
		if (exchange(&top, &old, new, rel, rlx))
			break;
	}
}

static void pop(void)
{
	while (true) {
		struct node *old = load(&top, acq);
		if (old == NULL)
			break;
		struct node *next = load(&old->next, rlx);
		if (exchange(&top, &old, next, rel, rlx)) {
			load(&old->value, rlx);
			break;
		}
	}
}

static void *body(void *thread)
{
	for (int round = 0; round < ROUNDS; round++) {
		push(10 * (intptr_t)thread + round);
		pop();
	}
	return NULL;
}

int main()
{
	start(STACK, body);
}

#else

static _Atomic(struct node *) head, tail;

static void enqueue(uint64_t value)
{
	struct node *new = malloc(sizeof(struct node));
	struct node *last;
	store(&new->value, value, rlx);
	store(&new->next, NULL, rlx);
	while (true) {
		last = load(&tail, acq);
		struct node *next = load(&last->next, acq);
		if (load(&tail, acq) != last)
			continue;
		if (next == NULL) {
			if (exchange(&last->next, &next, new, rel, rlx))
				break;
		} else {
			struct node *old = last;
			exchange(&tail, &old, next, rel, rlx);
		}
	}
	exchange(&tail, &last, new, rel, rlx);
}

static void dequeue(void)
{
	while (true) {
		struct node *first = load(&head, acq);
		struct node *last = load(&tail, acq);
		struct node *next = load(&first->next, acq);
		if (load(&head, acq) != first)
			continue;
		if (first != last) {
			load(&next->value, rlx);
			if (exchange(&head, &first, next, rel, rlx))
				break;
		} else {
			if (next == NULL)
				break;
			exchange(&tail, &last, next, rel, rlx);
		}
	}
}

static void *produce(void *thread)
{
	for (uint64_t item = (intptr_t)thread; item < QUEUE; item += 2)
		enqueue(item + 1);
	return NULL;
}

static void *consume(void *thread)
{
	for (int item = 0; item < QUEUE; item++)
		dequeue();
	return NULL;
}

int main()
{
	struct node *first = malloc(sizeof(struct node));
	store(&first->value, 0, rlx);
	store(&first->next, NULL, rlx);
	store(&head, first, rlx);
	store(&tail, first, rlx);
	start(2, produce);
	start(1, consume);
}

#endif
#endif
