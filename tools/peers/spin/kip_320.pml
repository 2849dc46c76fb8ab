/* Kafka's replication as KIP-320 proposes it, three replicas, as model/isrmodel/published/kip_320.py has it.
   LOG_SIZE, MAX_RECORDS, MAX_EPOCH: at most 3 each. */
#define N 3
#define NONE N
#define MEMBER(set, r) ((set) & (1 << (r)))

typedef Replica {
    byte id[LOG_SIZE];    /* a record's number + 1, or 0 beyond the end */
    byte epoch[LOG_SIZE];
    byte end, hw;
    byte leader_epoch;    /* an epoch + 1, or 0 */
    byte leader;          /* a replica + 1, or 0 */
    byte isr              /* a bit for each replica */
};
Replica replica[N];
byte quorum_epoch = 0, quorum_leader = NONE, quorum_isr = (1 << N) - 1;
byte requested_leader[MAX_EPOCH + 1], requested_isr[MAX_EPOCH + 1];
byte epochs = 0, records = 0;

#define PRESUMES(r) (replica[r].leader == r + 1)
#define FOLLOWS(f, l) (replica[f].leader == l + 1)
#define SHARES_EPOCH(a, b) (replica[a].leader_epoch == replica[b].leader_epoch)
#define IS_TRUE_LEADER(l) (quorum_leader == l && PRESUMES(l) && replica[l].leader_epoch == quorum_epoch)
#define IS_NEWS(e, r) (replica[r].leader_epoch < e + 1)
#define IS_SENT(e) (epochs > e && requested_leader[e] != NONE)
#define REACHED_EPOCH(l) (replica[l].hw == replica[l].end || replica[l].epoch[replica[l].hw] == replica[l].leader_epoch - 1)
#define MAY_JOIN(f, l) (SHARES_EPOCH(f, l) && replica[l].hw <= replica[f].end && REACHED_EPOCH(l))
#define KEEPS_UP(f, l) (SHARES_EPOCH(f, l) && replica[l].end <= replica[f].end)
#define ACKNOWLEDGES(f, l) \
    (!MEMBER(replica[l].isr, f) || (FOLLOWS(f, l) && SHARES_EPOCH(f, l) && replica[l].hw < replica[f].end))
#define ALL_ACKNOWLEDGE(l) (ACKNOWLEDGES(0, l) && ACKNOWLEDGES(1, l) && ACKNOWLEDGES(2, l))
#define SAME(a, b, o) (replica[a].id[o] == replica[b].id[o] && replica[a].epoch[o] == replica[b].epoch[o])

inline begin_epoch(new_leader, new_isr) {
    requested_leader[epochs] = new_leader;
    requested_isr[epochs] = new_isr;
    epochs++;
    quorum_epoch = epochs;
    quorum_leader = requested_leader[epochs - 1];
    quorum_isr = requested_isr[epochs - 1]
}

inline take_office(r, l, e) {
    replica[r].leader_epoch = e + 1;
    replica[r].leader = l + 1;
    replica[r].isr = requested_isr[e]
}

inline cut(r, l) { /* to the end of what the two logs have in common */
    agreed = 0;
    offset = 0;
    do
    :: offset < LOG_SIZE ->
        if
        :: offset < replica[r].end && offset < replica[l].end && SAME(r, l, offset) -> agreed = offset + 1
        :: else
        fi;
        offset++
    :: else -> break
    od;
    offset = agreed;
    do
    :: offset < LOG_SIZE -> replica[r].id[offset] = 0; replica[r].epoch[offset] = 0; offset++
    :: else -> break
    od;
    if
    :: replica[r].end > agreed -> replica[r].end = agreed
    :: else
    fi;
    if
    :: replica[r].hw > agreed -> replica[r].hw = agreed
    :: else
    fi;
    agreed = 0;
    offset = 0
}

hidden byte agreed = 0, offset = 0;

active [N] proctype Broker() {
#define EXPAND(r) \
    :: d_step { IS_TRUE_LEADER(_pid) && !MEMBER(replica[_pid].isr, r) && FOLLOWS(r, _pid) && MAY_JOIN(r, _pid) -> \
            replica[_pid].isr = replica[_pid].isr | (1 << r); quorum_isr = replica[_pid].isr }
#define SHRINK(r) \
    :: d_step { r != _pid && IS_TRUE_LEADER(_pid) && MEMBER(replica[_pid].isr, r) \
            && !(FOLLOWS(r, _pid) && KEEPS_UP(r, _pid)) -> \
            replica[_pid].isr = replica[_pid].isr & ~(1 << r); quorum_isr = replica[_pid].isr }
#define REPLICATE(l) \
    :: d_step { PRESUMES(l) && FOLLOWS(_pid, l) && replica[_pid].end < replica[l].end && SHARES_EPOCH(_pid, l) -> \
            replica[_pid].id[replica[_pid].end] = replica[l].id[replica[_pid].end]; \
            replica[_pid].epoch[replica[_pid].end] = replica[l].epoch[replica[_pid].end]; \
            replica[_pid].end = replica[_pid].end + 1; \
            replica[_pid].hw = (replica[l].hw < replica[_pid].end -> replica[l].hw : replica[_pid].end) }
#define LEAD(e) \
    :: d_step { IS_SENT(e) && requested_leader[e] == _pid && IS_NEWS(e, _pid) -> take_office(_pid, _pid, e) }
#define FOLLOW(e) \
    :: d_step { IS_SENT(e) && requested_leader[e] != _pid && IS_NEWS(e, _pid) && PRESUMES(requested_leader[e]) \
            && replica[requested_leader[e]].leader_epoch == e + 1 -> \
            cut(_pid, requested_leader[e]); take_office(_pid, requested_leader[e], e) }
    do
    :: d_step { epochs <= MAX_EPOCH && MEMBER(quorum_isr, _pid) && quorum_leader != _pid -> begin_epoch(_pid, quorum_isr) }
    :: d_step { epochs <= MAX_EPOCH && MEMBER(quorum_isr, _pid) && quorum_leader != _pid ->
            begin_epoch(quorum_leader, quorum_isr & ~(1 << _pid)) }
    :: d_step { epochs <= MAX_EPOCH && quorum_leader == _pid && quorum_isr == (1 << _pid) -> begin_epoch(NONE, quorum_isr) }
    :: d_step { epochs <= MAX_EPOCH && quorum_leader == _pid && quorum_isr != (1 << _pid) ->
            begin_epoch(NONE, quorum_isr & ~(1 << _pid)) }
    :: d_step { PRESUMES(_pid) && replica[_pid].end < LOG_SIZE && records < MAX_RECORDS ->
            replica[_pid].id[replica[_pid].end] = records + 1;
            replica[_pid].epoch[replica[_pid].end] = replica[_pid].leader_epoch - 1;
            replica[_pid].end = replica[_pid].end + 1;
            records++ }
    :: d_step { PRESUMES(_pid) && replica[_pid].hw < LOG_SIZE && ALL_ACKNOWLEDGE(_pid) -> replica[_pid].hw = replica[_pid].hw + 1 }
    EXPAND(0) EXPAND(1) EXPAND(2)
    SHRINK(0) SHRINK(1) SHRINK(2)
    REPLICATE(0) REPLICATE(1) REPLICATE(2)
    LEAD(0) FOLLOW(0)
    LEAD(1) FOLLOW(1)
#if MAX_EPOCH > 1
    LEAD(2) FOLLOW(2)
#endif
#if MAX_EPOCH > 2
    LEAD(3) FOLLOW(3)
#endif
    od
}

#define AGREE_AT(a, b, n, o) (n <= o || SAME(a, b, o))
#if LOG_SIZE == 1
#define AGREE(a, b, n) AGREE_AT(a, b, n, 0)
#elif LOG_SIZE == 2
#define AGREE(a, b, n) (AGREE_AT(a, b, n, 0) && AGREE_AT(a, b, n, 1))
#else
#define AGREE(a, b, n) (AGREE_AT(a, b, n, 0) && AGREE_AT(a, b, n, 1) && AGREE_AT(a, b, n, 2))
#endif
#define HOLDS(set, l, r) (!MEMBER(set, r) || AGREE(r, l, replica[l].hw))
#define EXPOSED(set, l) (!PRESUMES(l) || (HOLDS(set, l, 0) && HOLDS(set, l, 1) && HOLDS(set, l, 2)))
#define WEAK_ISR (EXPOSED(replica[0].isr, 0) && EXPOSED(replica[1].isr, 1) && EXPOSED(replica[2].isr, 2))
#define STRONG_ISR (EXPOSED(quorum_isr, 0) && EXPOSED(quorum_isr, 1) && EXPOSED(quorum_isr, 2))
#define LEADER_IN_ISR (quorum_leader == NONE || MEMBER(quorum_isr, quorum_leader))
#define LESSER(a, b) (replica[a].hw < replica[b].hw -> replica[a].hw : replica[b].hw)
#define LOG_MATCHING (AGREE(0, 1, LESSER(0, 1)) && AGREE(0, 2, LESSER(0, 2)) && AGREE(1, 2, LESSER(1, 2)))

active proctype Properties() {
    d_step { !(WEAK_ISR && STRONG_ISR && LEADER_IN_ISR && LOG_MATCHING) -> assert(false) }
}
