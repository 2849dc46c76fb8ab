"""Strongly connected components of the states in which an obligation stays open, and those that a fair behaviour can
stay in for ever; written in the dialect of the search kernel (native/dialect.py).

A node is a state before the obligation begins (its number) or while it is open (its number plus `states`). Components
are Tarjan's, and each may be stuttered in. A state's label is the part of the graph that it is searched in, then its
component, and 0 once no fair behaviour can stay there.
"""

from isrcheck.engines.native.dialect import U8s, U32s, U64s

NOBODY = 0xFFFFFFFF  # the parent of a first node
NONE = 0
STATE = 1
STEP = 2


class Behaviours:
    """The graph, what is looked for in it, and the room to do so."""

    states: int
    first: U64s
    target: U32s
    instance: U32s
    pruned_first: U64s
    pruned_instance: U32s
    counts_pruned: int  # whether they count as enabled
    start_count: int
    starts: U32s
    anywhere: int  # whether the obligation begins in any state, and not at a start alone
    begins: U8s
    stays: U8s  # where it stays open
    touches: U8s  # of which a cycle has one
    words: int  # of a set of fairness conditions
    slots: int  # of a table of the instances that satisfy any condition, less 1: a power of 2, less 1
    keys: U64s  # such an instance, plus 1; 0: none
    conditions: U64s  # by slot, those that its steps satisfy
    weak: U64s
    strong: U64s
    enabled: U64s  # in the state in hand
    always: U64s  # in all states of a component
    sometimes: U64s
    taken: U64s
    parent: U32s  # of a node, plus 1; 0: not reached
    queue: U32s  # nodes, breadth first; then what components need
    rank: U32s  # the place in the queue of the node in which the obligation is open
    label: U32s
    low: U32s  # of a state under way, the lowest place that it leads to; 0: not begun; then the last `stamp`
    open_states: U32s
    frame_state: U32s
    frame_place: U32s
    frame_step: U64s
    labels: int
    again: int
    fair_components: int  # components that a fair behaviour can stay in
    nearest: int  # the state of them all that is reached first
    least: int  # that of the component of the fewest states
    least_size: int
    stamp: int
    source: int
    home: int
    kept_label: int  # the label to stay in
    wants_touch: int
    wanted_steps: U64s
    wanted_off: U64s  # conditions that some state is to have not enabled
    goal: int
    goal_step: int


def enter(run: Behaviours, state: int, node: int, parent: int, tail: int) -> int:
    if run.parent[node] == 0:
        run.parent[node] = parent
        run.queue[tail] = node
        if node >= run.states:
            run.rank[state] = tail
        return tail + 1
    return tail


def arrive(run: Behaviours, state: int, parent: int, tail: int) -> int:
    """Enter a state before the obligation begins; where it may begin, enter the state with it, too."""
    tail = enter(run, state, state, parent, tail)
    if run.begins[state] != 0:
        tail = enter(run, state, state + run.states, state + 1, tail)
    return tail


def reach(run: Behaviours) -> int:
    """Breadth first from the starts; returns how many nodes."""
    tail = 0
    for i in range(run.start_count):
        start = run.starts[i]
        if run.anywhere != 0:
            tail = arrive(run, start, NOBODY, tail)
        else:
            if run.begins[start] != 0:
                tail = enter(run, start, start + run.states, NOBODY, tail)
    head = 0
    while head < tail:
        node = run.queue[head]
        head = head + 1
        if node < run.states:
            for step in range(run.first[node], run.first[node + 1]):
                tail = arrive(run, run.target[step], node + 1, tail)
        else:
            state = node - run.states
            for step in range(run.first[state], run.first[state + 1]):
                following = run.target[step]
                if run.stays[following] != 0:
                    tail = enter(run, following, following + run.states, node + 1, tail)
    return tail


def sets_of(run: Behaviours, instance: int) -> int:
    """The place of the conditions that an instance's steps satisfy."""
    slot = (instance * 0x9E3779B97F4A7C15 >> 32) & run.slots
    while run.keys[slot] != 0 and run.keys[slot] != instance + 1:
        slot = (slot + 1) & run.slots
    return slot * run.words


def look_at(run: Behaviours, state: int) -> None:
    """Note in `enabled` the conditions for which the state has steps."""
    for w in range(run.words):
        run.enabled[w] = 0
    for step in range(run.first[state], run.first[state + 1]):
        place = sets_of(run, run.instance[step])
        for w in range(run.words):
            run.enabled[w] = run.enabled[w] | run.conditions[place + w]
    if run.counts_pruned != 0:
        for step in range(run.pruned_first[state], run.pruned_first[state + 1]):
            place = sets_of(run, run.pruned_instance[step])
            for w in range(run.words):
                run.enabled[w] = run.enabled[w] | run.conditions[place + w]


def begin(run: Behaviours, state: int, depth: int, place: int) -> None:
    run.low[state] = place
    run.open_states[place - 1] = state
    run.frame_state[depth] = state
    run.frame_place[depth] = place
    run.frame_step[depth] = run.first[state]


def note(run: Behaviours, size: int, state: int) -> None:
    """A component in which a fair behaviour can stay, by its state that is reached first."""
    if run.fair_components == 0 or run.rank[state] < run.rank[run.nearest]:
        run.nearest = state
    if (
        run.fair_components == 0
        or size < run.least_size
        or (size == run.least_size and run.rank[state] < run.rank[run.least])
    ):
        run.least_size = size
        run.least = state
    run.fair_components = run.fair_components + 1


def drop_unfair(run: Behaviours, bottom: int, top: int) -> None:
    """Leave out the states at which a strong condition is enabled that no step inside satisfies."""
    run.again = 1
    for i in range(bottom, top):
        state = run.open_states[i]
        look_at(run, state)
        lost = 0
        for w in range(run.words):
            lost = lost | (run.enabled[w] & run.sometimes[w])
        if lost != 0:
            run.label[state] = 0
        else:
            run.low[state] = 0


def dismiss(run: Behaviours, bottom: int, top: int) -> None:
    """No fair behaviour stays in this component, nor in a part of it."""
    for i in range(bottom, top):
        run.label[run.open_states[i]] = 0


def close(run: Behaviours, bottom: int, top: int) -> None:
    """Judge a component: the open states from `bottom` on."""
    run.labels = run.labels + 1
    for i in range(bottom, top):
        run.label[run.open_states[i]] = run.labels
    for w in range(run.words):
        run.always[w] = 0xFFFFFFFFFFFFFFFF
        run.sometimes[w] = 0
        run.taken[w] = 0
    touched = 0
    first = run.open_states[bottom]
    for i in range(bottom, top):
        state = run.open_states[i]
        touched = touched | run.touches[state]
        if run.rank[state] < run.rank[first]:
            first = state
        if run.words != 0:
            look_at(run, state)
            for w in range(run.words):
                run.always[w] = run.always[w] & run.enabled[w]
                run.sometimes[w] = run.sometimes[w] | run.enabled[w]
            for step in range(run.first[state], run.first[state + 1]):
                if run.label[run.target[step]] == run.labels:
                    place = sets_of(run, run.instance[step])
                    for w in range(run.words):
                        run.taken[w] = run.taken[w] | run.conditions[place + w]
    if touched == 0:
        dismiss(run, bottom, top)
        return
    lost = 0
    for w in range(run.words):
        missing = run.taken[w] ^ 0xFFFFFFFFFFFFFFFF
        if run.always[w] & run.weak[w] & missing != 0:
            dismiss(run, bottom, top)
            return
        run.sometimes[w] = run.sometimes[w] & run.strong[w] & missing
        lost = lost | run.sometimes[w]
    if lost != 0:
        drop_unfair(run, bottom, top)
    else:
        note(run, top - bottom, first)


def search_from(run: Behaviours, root: int) -> None:
    """Depth first within the states of the root's label."""
    label = run.label[root]
    begin(run, root, 0, 1)
    top = 1
    depth = 0
    while True:
        state = run.frame_state[depth]
        step = run.frame_step[depth]
        if step < run.first[state + 1]:
            run.frame_step[depth] = step + 1
            following = run.target[step]
            if run.label[following] == label:
                if run.low[following] == 0:
                    depth = depth + 1
                    top = top + 1
                    begin(run, following, depth, top)
                else:
                    if run.low[following] < run.low[state]:
                        run.low[state] = run.low[following]
            continue
        low = run.low[state]
        if low == run.frame_place[depth]:
            close(run, low - 1, top)
            top = low - 1
        if depth == 0:
            return
        depth = depth - 1
        above = run.frame_state[depth]
        if low < run.low[above]:
            run.low[above] = low


def components(run: Behaviours) -> int:
    """How many components there are that a fair behaviour can stay in."""
    for state in range(run.states):
        if run.parent[state + run.states] != 0:
            run.label[state] = 1
    run.labels = 1
    run.again = 1
    while run.again != 0:
        run.again = 0
        for state in range(run.states):
            if run.label[state] != 0 and run.low[state] == 0:
                search_from(run, state)
    return run.fair_components


def goes_on(run: Behaviours, state: int) -> bool:
    """Whether a step leads to where a fair behaviour goes on, by what is known so far."""
    step = run.first[state]
    end = run.first[state + 1]
    while step < end and run.low[run.target[step]] == 0:
        step = step + 1
    return step < end


def first_stranded(run: Behaviours) -> int:
    """The state reached first from which no fair behaviour goes on, plus 1; 0: there is none. Runs after `components`.

    Steps lead mostly to states found later, so the last state is looked at first.
    """
    for state in range(run.states):
        run.low[state] = 0
        if run.label[state] != 0:
            run.low[state] = 1
    changed = 1
    while changed != 0:
        changed = 0
        state = run.states
        while state > 0:
            state = state - 1
            if run.low[state] == 0 and goes_on(run, state):
                run.low[state] = 1
                changed = 1
    return first_without_mark(run)


def first_without_mark(run: Behaviours) -> int:
    """The state without mark that is reached first, plus 1; 0: there is none."""
    unmarked = 0
    for state in range(run.states):
        if run.parent[state + run.states] == 0 or run.low[state] != 0:
            continue
        if unmarked == 0 or run.rank[state] < run.rank[unmarked - 1]:
            unmarked = state + 1
    return unmarked


def is_goal(run: Behaviours, state: int) -> bool:
    if state == run.home or (run.wants_touch != 0 and run.touches[state] != 0):
        return True
    wanted = 0
    for w in range(run.words):
        wanted = wanted | run.wanted_off[w]
    if wanted == 0:
        return False
    look_at(run, state)
    off = 0
    for w in range(run.words):
        off = off | (run.wanted_off[w] & (run.enabled[w] ^ 0xFFFFFFFFFFFFFFFF))
    return off != 0


def is_wanted(run: Behaviours, step: int) -> bool:
    wanted = 0
    place = sets_of(run, run.instance[step])
    for w in range(run.words):
        wanted = wanted | (run.wanted_steps[w] & run.conditions[place + w])
    return wanted != 0


def nearest(run: Behaviours) -> int:
    """Search from the source, within its component, for the nearest goal: a state, or the step from it."""
    run.stamp = run.stamp + 1
    run.low[run.source] = run.stamp
    run.queue[0] = run.source
    run.open_states[run.source] = NOBODY
    head = 0
    tail = 1
    while head < tail:
        state = run.queue[head]
        head = head + 1
        run.goal = state
        if is_goal(run, state):
            return STATE
        for step in range(run.first[state], run.first[state + 1]):
            following = run.target[step]
            if run.label[following] == run.kept_label:
                if is_wanted(run, step):
                    run.goal_step = step
                    return STEP
                if run.low[following] != run.stamp:
                    run.low[following] = run.stamp
                    run.open_states[following] = state
                    run.queue[tail] = following
                    tail = tail + 1
    return NONE
