/* Paxos for one decision by three acceptors, all messages in one set, as examples/paxos.py has it. */
#define BALLOTS (MAX_BALLOT + 1)
#define VOTE(ballot, value) (1 + (ballot) * VALUES + (value))
#define ACCEPTORS 3

byte promised[ACCEPTORS];            /* a ballot + 1, or 0 */
byte vote[ACCEPTORS];                /* VOTE, or 0 */
bool prepared[BALLOTS];
byte promise[ACCEPTORS * BALLOTS];   /* 1 + the vote that it tells of, or 0: not sent */
byte accept[BALLOTS];                /* a value + 1, or 0: not sent */
bool accepted[ACCEPTORS * BALLOTS];

#define OF(acceptor, ballot) ((acceptor) * BALLOTS + (ballot))
#define TELLS(a, b) promise[OF(a, b)]
#define IS_FOR(told, v) (told <= 1 || (told - 2) % VALUES == v)
#define PAIR(i, j, b, v) (TELLS(i, b) && TELLS(j, b) && \
    ((TELLS(i, b) >= TELLS(j, b) && IS_FOR(TELLS(i, b), v)) || (TELLS(j, b) >= TELLS(i, b) && IS_FOR(TELLS(j, b), v))))
/* A majority of three is two of them, or all, and what all allow, the two of highest vote allow. */
#define ALLOWS(b, v) (PAIR(0, 1, b, v) || PAIR(0, 2, b, v) || PAIR(1, 2, b, v))

active [ACCEPTORS] proctype Acceptor() {
#define PROMISE(b) \
    :: d_step { prepared[b] && promised[_pid] < b + 1 -> promised[_pid] = b + 1; promise[OF(_pid, b)] = 1 + vote[_pid] }
#define ACCEPT(b) \
    :: d_step { accept[b] && promised[_pid] <= b + 1 -> \
            promised[_pid] = b + 1; vote[_pid] = VOTE(b, accept[b] - 1); accepted[OF(_pid, b)] = true }
    do
    PROMISE(0) ACCEPT(0)
    PROMISE(1) ACCEPT(1)
#if MAX_BALLOT > 1
    PROMISE(2) ACCEPT(2)
#endif
#if MAX_BALLOT > 2
    PROMISE(3) ACCEPT(3)
#endif
    od
}

active [BALLOTS] proctype Leader() {
#define BALLOT (_pid - ACCEPTORS)
#define PROPOSE(v) :: d_step { !accept[BALLOT] && ALLOWS(BALLOT, v) -> accept[BALLOT] = v + 1 }
    do
    :: d_step { true -> prepared[BALLOT] = true }
    PROPOSE(0)
    PROPOSE(1)
#if VALUES > 2
    PROPOSE(2)
#endif
    od
}

#define CHOSEN(b) (accepted[OF(0, b)] + accepted[OF(1, b)] + accepted[OF(2, b)] >= 2)
#define DIFFER(b, c) (CHOSEN(b) && CHOSEN(c) && accept[b] != accept[c])

active proctype OneValueIsChosen() {
#if MAX_BALLOT == 1
    d_step { DIFFER(0, 1) -> assert(false) }
#elif MAX_BALLOT == 2
    d_step { DIFFER(0, 1) || DIFFER(0, 2) || DIFFER(1, 2) -> assert(false) }
#else
    d_step { DIFFER(0, 1) || DIFFER(0, 2) || DIFFER(0, 3) || DIFFER(1, 2) || DIFFER(1, 3) || DIFFER(2, 3) ->
        assert(false) }
#endif
}
