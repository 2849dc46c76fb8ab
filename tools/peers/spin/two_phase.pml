/* Two-phase commit, as examples/two_phase.py has it. RMS: resource managers, at most 8 of a byte's bits are used. */
#define WORKING 0
#define PREPARED 1
#define COMMITTED 2
#define ABORTED 3
#define ALL ((1 << RMS) - 1)

byte rm[RMS];
byte manager = WORKING; /* undecided */
short known = 0;        /* who is prepared, as the manager knows */
short sent = 0;         /* who has sent that it is prepared */
bool commit_sent = false, abort_sent = false;
byte committed = 0, aborted = 0; /* how many: what the property asks */

inline become(state) {
    if
    :: rm[_pid] == COMMITTED -> committed--
    :: rm[_pid] == ABORTED -> aborted--
    :: else
    fi;
    rm[_pid] = state;
    if
    :: state == COMMITTED -> committed++
    :: state == ABORTED -> aborted++
    :: else
    fi
}

active [RMS] proctype ResourceManager() {
    do
    :: d_step { rm[_pid] == WORKING -> rm[_pid] = PREPARED; sent = sent | (1 << _pid) }
    :: d_step { rm[_pid] == WORKING -> become(ABORTED) }
    :: d_step { manager == WORKING && (sent & (1 << _pid)) -> known = known | (1 << _pid) }
    :: d_step { commit_sent -> become(COMMITTED) }
    :: d_step { abort_sent -> become(ABORTED) }
    od
}

active proctype TransactionManager() {
    do
    :: d_step { manager == WORKING && known == ALL -> manager = COMMITTED; commit_sent = true }
    :: d_step { manager == WORKING -> manager = ABORTED; abort_sent = true }
    od
}

active proctype Consistent() {
    d_step { committed > 0 && aborted > 0 -> assert(false) }
}
