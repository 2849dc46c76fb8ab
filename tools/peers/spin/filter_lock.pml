/* Peterson's filter lock for N processes, as tools/peers/models.py has it. */
#define IDLE 0
#define ARRIVES 1
#define WAITS 2
#define CRITICAL 3

byte level[N];
byte step[N];
byte last[N];
byte inside = 0;

#if N == 3
#define ALONE(p) (BELOW(p, 0) && BELOW(p, 1) && BELOW(p, 2))
#elif N == 4
#define ALONE(p) (BELOW(p, 0) && BELOW(p, 1) && BELOW(p, 2) && BELOW(p, 3))
#else
#define ALONE(p) (BELOW(p, 0) && BELOW(p, 1) && BELOW(p, 2) && BELOW(p, 3) && BELOW(p, 4))
#endif
#define BELOW(p, q) (p == q || level[q] < level[p])

active [N] proctype Process() {
    do
    :: d_step { step[_pid] == IDLE -> level[_pid] = 1; step[_pid] = ARRIVES }
    :: d_step { step[_pid] == ARRIVES -> last[level[_pid]] = _pid; step[_pid] = WAITS }
    :: d_step { step[_pid] == WAITS && (last[level[_pid]] != _pid || ALONE(_pid)) ->
            if
            :: level[_pid] < N - 1 -> level[_pid] = level[_pid] + 1; step[_pid] = ARRIVES
            :: else -> step[_pid] = CRITICAL; inside++
            fi }
    :: d_step { step[_pid] == CRITICAL -> level[_pid] = 0; step[_pid] = IDLE; inside-- }
    od
}

active proctype OneAtATime() {
    d_step { inside > 1 -> assert(false) }
}
