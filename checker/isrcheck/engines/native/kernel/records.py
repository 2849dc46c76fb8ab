"""The kernel's data: the model's numbers, the records of a run and of its workers, the model's own functions."""

from isrcheck.engines.native.dialect import U8s, U32s, U64s

WORDS = 1  # of a state
INSTANCES = 1
ACTIONS = 1
TARGETS = 1
STATE_TARGETS = 0  # the first of the targets, which are seen in a state itself
BATCH = 64
MOST_ACTIONS = 1023  # that an entry of a quotient table has bits for
MOST_WORDS = 64  # that a mask of a group has bits for
SYMMETRIC = 0
CONSTRAINED = 0  # whether a report ends with the states at which a constraint ends the search
REFILL = 256  # states whose table entries are asked for together

DONE = 0  # with all units up to the stop
FULL = 1  # more room is needed

Marks = U8s


class Quotient:
    """A table of keys of `key_bits`, in lines of 16 entries; kernel/quotient.py says what is in one."""

    narrow: U32s  # the entries, if they have 32 bits
    wide: U64s  # the same memory
    is_wide: int
    key_bits: int
    layout: int  # of a key's fields, counted
    lines: int  # `parts` times a power of 2
    parts: int
    line_bits: int  # of that power
    reciprocal: int  # of the parts, times 2^32 and rounded up
    mark_bits: int
    stamp_bits: int
    stamp: int  # the newest level's; 0 is none's


class Run:
    """The record that all workers share. A unit is a range of indices that one worker takes at a time."""

    states: U64s
    marks: Marks  # of a state of the newest level: the least action that reached it, plus 1
    table: U32s
    slots: int  # of the table, a power of 2, less 1
    index_mask: int  # the bits of an entry that are an index
    fresh: int  # the first index of the newest level
    units: U64s
    unit_stop: int  # where all workers pause
    next_unit: U64s
    next_block: U64s
    block_size: int
    shared: int  # whether several workers insert
    target: int  # what is being traced
    target_mark: int
    seed: int  # of random walks
    walks: int
    walk_steps: int  # at most, of each
    buckets: int  # into which states are sorted by hash
    first: U64s  # of each state's steps in the rows of a graph; native/behaviours/steps.py
    step_target: U32s
    step_instance: U32s
    pruned_first: U64s
    pruned_instance: U32s
    left_out: U8s  # whether a state before those is not in it either
    written: int  # states
    observed: U64s  # in a batch
    watched: int  # conditions
    truths: U8s  # of a condition in all states, one condition after the other
    graph_states: int  # those from here on are not in the graph
    without_value: U64s  # of each condition the first state in which it goes wrong, plus 1
    expand_next: int  # the address of the model's own function
    visited: Quotient
    before: Quotient  # the table that it replaces
    numbers: U64s  # of each dictionary, NUMBERS of them; kernel/dictionaries.py
    words: U64s  # of each dictionary, `most_words`: those that have a number
    number_of: U32s  # of each dictionary, a table of 4 * `most_words`
    most_words: int
    old_numbers: U32s  # the table of the dictionary that grows
    grows: int  # which one that is
    dictionaries: int
    old_dictionaries: int  # that the layout before had


class Worker:
    """The record of one worker: its place in the work, its buffers and its findings."""

    state: int  # the next index of the unit in hand
    state_end: int
    index: int  # the next free index of its block
    index_end: int
    room: int  # new states that it may still add
    distinct: int  # new states that it has added
    successors: U64s
    hashes: U64s
    marks: Marks  # of the successors
    report: U64s
    counts: U64s  # steps by action, then pruned steps
    spare_counts: U64s  # for steps that were counted before
    targets_seen: U64s  # for each target, whether it was seen
    reached: U64s  # new states by action
    outside: int  # new states at which a constraint ends the search
    digest_low: int
    digest_high: int
    walkers: U64s  # the states of a batch of random walks
    scratch: U64s  # a number for each of a batch: of walks, the states of their random numbers
    more_scratch: U64s  # another: how many steps a walk may take, then which of them it takes
    first: U64s  # the initial state
    hit_walk: U64s  # for each target, the least walk that saw it
    hit_steps: U64s  # and after how many steps
    walked: int  # steps
    source: U64s  # states from elsewhere
    source_marks: Marks
    target: U64s  # states for elsewhere
    target_marks: Marks
    amiss: int  # keys that were there and should be new
    places: U64s  # for each bucket, where its next state goes
    sorting: U64s  # what it needs to sort states; native/disk/kernel.py
    pending: int  # of the successors in the buffer, the first that was not looked up yet
    pending_end: int
    full: int  # what lacks room: a dictionary's position plus 1, or the table of keys
    state_words: U64s  # the words of a state while its key changes
    word_hashes: U64s  # of some states' groups of words


def report_steps(words: U64s, count: int, report: U64s, counts: U64s) -> None:
    """Report a batch's steps, and the targets seen in taking them; the model's own."""
    raise NotImplementedError


def judge(words: U64s, count: int, report: U64s) -> None:
    """Report the targets seen in a batch's states; the model's own."""
    raise NotImplementedError


def apply(words: U64s, report: U64s, successors: U64s, marks: Marks) -> int:
    """Write the successors that a report names, and return how many; the model's own."""
    raise NotImplementedError


def canonical_batch(words: U64s, count: int) -> None:
    """Replace the states of a batch by their canonical representatives; the model's own."""
    raise NotImplementedError
