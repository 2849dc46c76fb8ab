/* Chang and Roberts' election on a ring of N, as examples/chang_roberts.py has it. The choice of who wants to be
   elected is a step here, so there is one state more. */
#define CANDIDATE 0
#define LOST 1
#define WON 2

byte wants = 0; /* a bit for each node */
bool started[N];
byte standing[N];
byte inbox[N]; /* a bit for each identity */

#define HAS(identity) (inbox[me] & (1 << (identity)))
#define SEND(identity) inbox[(me + 1) % N] = inbox[(me + 1) % N] | (1 << (identity))
#define RECEIVE(identity) \
    :: d_step { started[me] && HAS(identity) -> \
            inbox[me] = inbox[me] & ~(1 << (identity)); \
            if \
            :: standing[me] == LOST || identity < me -> standing[me] = LOST; SEND(identity) \
            :: standing[me] != LOST && identity == me -> standing[me] = WON \
            :: else \
            fi }

proctype Node(byte me) {
    do
    :: d_step { !started[me] -> started[me] = true;
            if
            :: wants & (1 << me) -> SEND(me)
            :: else
            fi }
    RECEIVE(0)
    RECEIVE(1)
    RECEIVE(2)
#if N > 3
    RECEIVE(3)
#endif
#if N > 4
    RECEIVE(4)
#endif
#if N > 5
    RECEIVE(5)
#endif
#if N > 6
    RECEIVE(6)
#endif
    od
}

#define WRONG(w) (standing[w] == WON && (!(wants & (1 << w)) || (wants & ((1 << w) - 1)) || !ALONE(w)))
#define LOSES(w, n) (n == w || standing[n] == LOST)
#if N == 3
#define ALONE(w) (LOSES(w, 0) && LOSES(w, 1) && LOSES(w, 2))
#define ANY_WRONG (WRONG(0) || WRONG(1) || WRONG(2))
#elif N == 5
#define ALONE(w) (LOSES(w, 0) && LOSES(w, 1) && LOSES(w, 2) && LOSES(w, 3) && LOSES(w, 4))
#define ANY_WRONG (WRONG(0) || WRONG(1) || WRONG(2) || WRONG(3) || WRONG(4))
#elif N == 6
#define ALONE(w) (LOSES(w, 0) && LOSES(w, 1) && LOSES(w, 2) && LOSES(w, 3) && LOSES(w, 4) && LOSES(w, 5))
#define ANY_WRONG (WRONG(0) || WRONG(1) || WRONG(2) || WRONG(3) || WRONG(4) || WRONG(5))
#else
#define ALONE(w) (LOSES(w, 0) && LOSES(w, 1) && LOSES(w, 2) && LOSES(w, 3) && LOSES(w, 4) && LOSES(w, 5) && LOSES(w, 6))
#define ANY_WRONG (WRONG(0) || WRONG(1) || WRONG(2) || WRONG(3) || WRONG(4) || WRONG(5) || WRONG(6))
#endif

proctype SmallestCandidateWins() {
    d_step { ANY_WRONG -> assert(false) }
}

init {
    byte node = 0;
    atomic {
        do
        :: node < N -> wants = wants | (1 << node); node++
        :: node < N -> standing[node] = LOST; node++
        :: node == N -> break
        od;
        node = 0;
        do
        :: node < N -> run Node(node); node++
        :: node == N -> break
        od;
        run SmallestCandidateWins()
    }
}
