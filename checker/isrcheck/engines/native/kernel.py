"""The search kernel, in the dialect: successors of batches of states, looked up in a table of indices.

States lie in one array, level after level. The table has open addressing: an entry is 0 or a state's index plus 1,
and above the bits that an index needs a tag of the state's hash; two states are the same only if all their words are.
With several workers an entry is published only after its state was written, so that whoever sees the entry may read
the state.
"""

from isrcheck.engines.native.dialect import U8s, U32s, U64s, acquire, at, lowest_bit, prefetch, publish, take

WORDS = 1  # of a state
INSTANCES = 1
ACTIONS = 1
TARGETS = 1
STATE_TARGETS = 0  # the first of the targets, which are seen in a state itself
BATCH = 64
SYMMETRIC = 0
REFILL = 256  # states whose table entries are asked for together

DONE = 0  # with all units up to the stop
FULL = 1  # more room is needed

Marks = U8s


class Run:
    """What all workers share. A unit is a range of indices that one worker takes at a time."""

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


class Worker:
    """One worker's own place, buffers and findings."""

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
    seen: U64s  # for each target, whether it was seen
    reached: U64s  # new states by action
    digest_low: int
    digest_high: int
    walkers: U64s  # the states of a batch of random walks
    dice: U64s  # their random numbers' states
    choices: U64s  # how many steps each may take, then which of them it takes
    first: U64s  # the initial state
    hit_walk: U64s  # for each target, the least walk that saw it
    hit_steps: U64s  # and after how many steps
    walked: int  # steps
    source: U64s  # states from elsewhere
    source_marks: Marks
    target: U64s  # states for elsewhere
    target_marks: Marks
    places: U64s  # for each bucket, where its next state goes


def enabled(words: U64s, count: int, report: U64s, counts: U64s) -> None:
    """Report a batch's steps, and the targets seen in taking them; the model's own."""
    raise NotImplementedError


def judge(words: U64s, count: int, report: U64s) -> None:
    """Report the targets seen in a batch's states; the model's own."""
    raise NotImplementedError


def apply(words: U64s, report: U64s, successors: U64s, marks: Marks) -> int:
    """Write the successors that a report tells of, and return how many; the model's own."""
    raise NotImplementedError


def canonical(words: U64s, count: int) -> None:
    """Replace states by their least symmetric ones; the model's own."""
    raise NotImplementedError


def scramble(words: U64s) -> int:
    """A quick hash for the table; nothing that a run reports depends on it."""
    h = 0
    for i in range(WORDS):
        h = (h ^ words[i]) * 0x9E3779B97F4A7C15
        h = h ^ (h >> 32)
    h = h * 0xD6E8FEB86659FD93
    return h ^ (h >> 29)


def same(a: U64s, b: U64s) -> bool:
    """Whether two states are equal."""
    difference = 0
    for i in range(WORDS):
        difference = difference | (a[i] ^ b[i])
    return difference == 0


def copy(target: U64s, source: U64s) -> None:
    """One state over another."""
    for i in range(WORDS):
        target[i] = source[i]


def expand(words: U64s, count: int, worker: Worker, counts: U64s) -> int:
    """The successors of a batch, in the worker's buffers; returns how many."""
    enabled(words, count, worker.report, counts)
    found = apply(words, worker.report, worker.successors, worker.marks)
    if SYMMETRIC != 0:
        canonical(worker.successors, found)
    return found


def next_unit(run: Run, worker: Worker) -> bool:
    """Take the next range of states, if there is one."""
    unit = take(run.next_unit, 0, 1)
    if unit >= run.unit_stop:
        return False
    worker.state = run.units[2 * unit]
    worker.state_end = run.units[2 * unit + 1]
    return True


def batch_size(worker: Worker) -> int:
    """How many states of the unit in hand come next."""
    left = worker.state_end - worker.state
    if left > BATCH:
        return BATCH
    return left


def look_ahead(run: Run, worker: Worker, count: int) -> None:
    """Ask for the memory that looking up the successors will need: entries first, then the states they may equal."""
    table = run.table
    slots = run.slots
    index_mask = run.index_mask
    states = run.states
    marks = run.marks
    fresh = run.fresh
    hashes = worker.hashes
    successors = worker.successors
    for j in range(count):
        h = scramble(at(successors, j * WORDS))
        hashes[j] = h
        prefetch(table, h & slots)
    for j in range(count):
        h = hashes[j]
        entry = table[h & slots]
        if entry != 0:
            index = (entry & index_mask) - 1
            prefetch(states, index * WORDS)
            if index >= fresh:
                prefetch(marks, index)


def new_index(run: Run, worker: Worker) -> int:
    """A free place for a state."""
    if worker.index == worker.index_end:
        worker.index = take(run.next_block, 0, run.block_size)
        worker.index_end = worker.index + run.block_size
    return worker.index


def lower_mark(marks: Marks, index: int, mark: int, shared: int) -> None:
    """Keep the least mark of a state."""
    if shared == 0:
        if mark < marks[index]:
            marks[index] = mark
        return
    while True:
        old = acquire(marks, index)
        if old <= mark:
            return
        if publish(marks, index, old, mark):
            return


def insert(run: Run, worker: Worker, j: int, shared: int) -> None:
    """Look one successor up; a new state is stored, a state of the newest level keeps its least action."""
    table = run.table
    slots = run.slots
    index_mask = run.index_mask
    states = run.states
    h = worker.hashes[j]
    slot = h & slots
    tag = (h >> 32) & (index_mask ^ 0xFFFFFFFF)
    state = at(worker.successors, j * WORDS)
    mark = worker.marks[j]
    while True:
        entry = acquire(table, slot)
        if entry == 0:
            index = new_index(run, worker)
            copy(at(states, index * WORDS), state)
            run.marks[index] = mark
            if shared == 0:
                table[slot] = tag | (index + 1)
            else:
                if not publish(table, slot, 0, tag | (index + 1)):
                    continue
            worker.index = index + 1
            worker.distinct = worker.distinct + 1
            return
        if (entry ^ tag) & (index_mask ^ 0xFFFFFFFF) == 0:
            index = (entry & index_mask) - 1
            if same(at(states, index * WORDS), state):
                if index >= run.fresh:
                    lower_mark(run.marks, index, mark, shared)
                return
        slot = (slot + 1) & slots


def settle(run: Run, worker: Worker, count: int) -> None:
    """Look all successors of a batch up."""
    look_ahead(run, worker, count)
    if run.shared == 0:
        for j in range(count):
            insert(run, worker, j, 0)
    else:
        for j in range(count):
            insert(run, worker, j, 1)


def notice(worker: Worker, first: int, last: int) -> None:
    """Remember which targets the report of a batch shows."""
    for target in range(first, last):
        worker.seen[target] = worker.seen[target] | worker.report[INSTANCES + target]


def advance(run: Run, worker: Worker) -> int:
    """Expand states of the current level; says whether it is done or needs room."""
    while True:
        if worker.state == worker.state_end and not next_unit(run, worker):
            return DONE
        if worker.room < BATCH * INSTANCES:
            return FULL
        count = batch_size(worker)
        found = expand(at(run.states, worker.state * WORDS), count, worker, worker.counts)
        notice(worker, STATE_TARGETS, TARGETS)
        before = worker.distinct
        settle(run, worker, found)
        worker.room = worker.room - (worker.distinct - before)
        worker.state = worker.state + count


def examine(run: Run, worker: Worker) -> int:
    """Judge states of the newest level, and count them by the action that reached them."""
    while True:
        if worker.state == worker.state_end and not next_unit(run, worker):
            return DONE
        count = batch_size(worker)
        if STATE_TARGETS > 0:
            judge(at(run.states, worker.state * WORDS), count, worker.report)
            notice(worker, 0, STATE_TARGETS)
        for s in range(count):
            mark = run.marks[worker.state + s]
            worker.reached[mark] = worker.reached[mark] + 1
        worker.state = worker.state + count


def refill(run: Run, worker: Worker) -> int:
    """Enter states that are known to be distinct into a new table."""
    table = run.table
    slots = run.slots
    while True:
        if worker.state == worker.state_end and not next_unit(run, worker):
            return DONE
        count = worker.state_end - worker.state
        if count > REFILL:
            count = REFILL
        for j in range(count):
            h = scramble(at(run.states, (worker.state + j) * WORDS))
            worker.hashes[j] = h
            prefetch(table, h & slots)
        for j in range(count):
            h = worker.hashes[j]
            entry = ((h >> 32) & (run.index_mask ^ 0xFFFFFFFF)) | (worker.state + j + 1)
            slot = h & slots
            if run.shared == 0:
                while table[slot] != 0:
                    slot = (slot + 1) & slots
                table[slot] = entry
            else:
                while acquire(table, slot) != 0 or not publish(table, slot, 0, entry):
                    slot = (slot + 1) & slots
        worker.state = worker.state + count


def find(run: Run, state: U64s) -> int:
    """The index of a state plus 1, or 0 if it is not there."""
    h = scramble(state)
    slot = h & run.slots
    while True:
        entry = run.table[slot]
        if entry == 0:
            return 0
        index = entry & run.index_mask
        if same(at(run.states, (index - 1) * WORDS), state):
            return index
        slot = (slot + 1) & run.slots


def aim(run: Run, worker: Worker) -> int:
    """Mark states that show the run's target."""
    while True:
        if worker.state == worker.state_end and not next_unit(run, worker):
            return DONE
        count = batch_size(worker)
        words = at(run.states, worker.state * WORDS)
        if run.target < STATE_TARGETS:
            judge(words, count, worker.report)
        else:
            enabled(words, count, worker.report, worker.spare_counts)
        left = worker.report[INSTANCES + run.target]
        while left != 0:
            index = worker.state + lowest_bit(left)
            run.marks[index] = run.marks[index] | run.target_mark
            left = left & (left - 1)
        worker.state = worker.state + count


def trace_back(run: Run, worker: Worker) -> int:
    """Mark states with what marks their successors in the level after them, which `fresh` begins."""
    while True:
        if worker.state == worker.state_end and not next_unit(run, worker):
            return DONE
        count = batch_size(worker)
        found = expand(at(run.states, worker.state * WORDS), count, worker, worker.spare_counts)
        look_ahead(run, worker, found)
        j = 0
        for instance in range(INSTANCES):
            left = worker.report[instance]
            while left != 0:
                index = find(run, at(worker.successors, j * WORDS))
                if index > run.fresh:
                    source = worker.state + lowest_bit(left)
                    run.marks[source] = run.marks[source] | run.marks[index - 1]
                left = left & (left - 1)
                j = j + 1
        worker.state = worker.state + count


def link(run: Run, worker: Worker) -> int:
    """Write the steps of the batch in hand, all of whose successors are known, and return how many there are.

    In place of a successor comes its source's index times INSTANCES plus its instance; in place of its hash, its index.
    """
    count = batch_size(worker)
    found = expand(at(run.states, worker.state * WORDS), count, worker, worker.spare_counts)
    look_ahead(run, worker, found)
    for j in range(found):
        worker.hashes[j] = find(run, at(worker.successors, j * WORDS)) - 1
    j = 0
    for instance in range(INSTANCES):
        left = worker.report[instance]
        while left != 0:
            worker.successors[j] = (worker.state + lowest_bit(left)) * INSTANCES + instance
            left = left & (left - 1)
            j = j + 1
    return found


def weigh(run: Run, worker: Worker) -> int:
    """Report every target seen in the batch in hand."""
    words = at(run.states, worker.state * WORDS)
    count = batch_size(worker)
    enabled(words, count, worker.report, worker.spare_counts)
    judge(words, count, worker.report)
    return DONE


def rotate(word: int, bits: int) -> int:
    """A word turned to the left."""
    return (word << bits) | (word >> (64 - bits))


def mixed(word: int) -> int:
    """The last mixing of MurmurHash3."""
    word = (word ^ (word >> 33)) * 0xFF51AFD7ED558CCD
    word = (word ^ (word >> 33)) * 0xC4CEB9FE1A85EC53
    return word ^ (word >> 33)


def add_hash(worker: Worker, words: U64s) -> None:
    """Add one state's MurmurHash3_x64_128 to the digest."""
    low = 0
    high = 0
    for pair in range(WORDS // 2):
        k = rotate(words[2 * pair] * 0x87C37B91114253D5, 31) * 0x4CF5AD432745937F
        low = (rotate(low ^ k, 27) + high) * 5 + 0x52DCE729
        k = rotate(words[2 * pair + 1] * 0x4CF5AD432745937F, 33) * 0x87C37B91114253D5
        high = (rotate(high ^ k, 31) + low) * 5 + 0x38495AB5
    if WORDS % 2 == 1:
        low = low ^ (rotate(words[WORDS - 1] * 0x87C37B91114253D5, 31) * 0x4CF5AD432745937F)
    low = low ^ (WORDS * 8)
    high = high ^ (WORDS * 8)
    low = low + high
    high = high + low
    low = mixed(low)
    high = mixed(high)
    low = low + high
    high = high + low
    total = worker.digest_low + low
    if total < low:
        high = high + 1
    worker.digest_low = total
    worker.digest_high = worker.digest_high + high


def digest(run: Run, worker: Worker) -> int:
    """Add up the hashes of states."""
    while True:
        if worker.state == worker.state_end and not next_unit(run, worker):
            return DONE
        add_hash(worker, at(run.states, worker.state * WORDS))
        worker.state = worker.state + 1


def seed(run: Run, worker: Worker) -> int:
    """Enter the state that lies in the worker's buffer."""
    worker.marks[0] = 0
    settle(run, worker, 1)
    return DONE


def follow(run: Run, worker: Worker) -> int:
    """Write the successors of the state at the end of the worker's buffer, as they are; returns how many."""
    state = at(worker.successors, BATCH * INSTANCES * WORDS)
    enabled(state, 1, worker.report, worker.spare_counts)
    return apply(state, worker.report, worker.successors, worker.marks)


def represent(run: Run, worker: Worker) -> int:
    """Make the first state of the worker's buffer canonical."""
    if SYMMETRIC != 0:
        canonical(worker.successors, 1)
    return DONE


def locate(run: Run, worker: Worker) -> int:
    """The index, plus 1, of the first state of the worker's buffer."""
    return find(run, worker.successors)


def stirred(word: int) -> int:
    """The next number of SplitMix64, from its state."""
    word = (word ^ (word >> 30)) * 0xBF58476D1CE4E5B9
    word = (word ^ (word >> 27)) * 0x94D049BB133111EB
    return word ^ (word >> 31)


def wander(run: Run, worker: Worker) -> int:
    """Take the random walks of some units; a unit is a range of batches."""
    while True:
        if worker.state == worker.state_end and not next_unit(run, worker):
            return DONE
        wander_together(run, worker, worker.state * BATCH)
        worker.state = worker.state + 1


def wander_together(run: Run, worker: Worker, walk: int) -> None:
    """One batch of walks from the initial state, each for as long as it can step."""
    live = 0
    for lane in range(BATCH):
        copy(at(worker.walkers, lane * WORDS), worker.first)
        worker.dice[lane] = stirred(run.seed + stirred(walk + lane))
        if walk + lane < run.walks:
            live = live | (1 << lane)
    for steps in range(run.walk_steps + 1):
        if STATE_TARGETS > 0:
            judge(worker.walkers, BATCH, worker.report)
        enabled(worker.walkers, BATCH, worker.report, worker.spare_counts)
        hit(worker, walk, steps, live)
        if steps == run.walk_steps:
            return
        live = choose(worker, live)
        if live == 0:
            return
        found = apply(worker.walkers, worker.report, worker.successors, worker.marks)
        land(worker)
        worker.walked = worker.walked + found


def hit(worker: Worker, walk: int, steps: int, live: int) -> None:
    """Remember the least walk that saw each target, and its first time."""
    for target in range(TARGETS):
        seen = worker.report[INSTANCES + target] & live
        if seen != 0:
            number = walk + lowest_bit(seen)
            if number < worker.hit_walk[target]:
                worker.hit_walk[target] = number
                worker.hit_steps[target] = steps


def choose(worker: Worker, live: int) -> int:
    """Leave in the report one random step of each walk; returns the walks that have one."""
    for lane in range(BATCH):
        worker.choices[lane] = 0
    for instance in range(INSTANCES):
        left = worker.report[instance] & live
        worker.report[instance] = left
        while left != 0:
            lane = lowest_bit(left)
            worker.choices[lane] = worker.choices[lane] + 1
            left = left & (left - 1)
    able = 0
    for lane in range(BATCH):
        if worker.choices[lane] != 0:
            able = able | (1 << lane)
            worker.dice[lane] = worker.dice[lane] + 0x9E3779B97F4A7C15
            worker.choices[lane] = stirred(worker.dice[lane]) % worker.choices[lane]
    for instance in range(INSTANCES):
        left = worker.report[instance]
        chosen = 0
        while left != 0:
            lane = lowest_bit(left)
            if worker.choices[lane] == 0:
                chosen = chosen | (1 << lane)
            worker.choices[lane] = worker.choices[lane] - 1
            left = left & (left - 1)
        worker.report[instance] = chosen
    return able


def land(worker: Worker) -> None:
    """Each walk goes on from the successor that was written for it."""
    j = 0
    for instance in range(INSTANCES):
        left = worker.report[instance]
        while left != 0:
            copy(at(worker.walkers, lowest_bit(left) * WORDS), at(worker.successors, j * WORDS))
            left = left & (left - 1)
            j = j + 1
