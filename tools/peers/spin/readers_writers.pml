/* Readers and writers who are served in turn, as examples/readers_writers.py has it. */
#define READ(actor) (2 * actor)
#define WRITE(actor) (2 * actor + 1)

chan waiting = [2 * ACTORS] of { byte };
byte readers = 0, writers = 0; /* a bit for each actor */

active [ACTORS] proctype Actor() {
    do
    :: d_step { !waiting??[eval(READ(_pid))] -> waiting!READ(_pid) }
    :: d_step { !waiting??[eval(WRITE(_pid))] -> waiting!WRITE(_pid) }
    :: d_step { writers == 0 && waiting?[eval(READ(_pid))] ->
            waiting?eval(READ(_pid)); readers = readers | (1 << _pid) }
    :: d_step { writers == 0 && readers == 0 && waiting?[eval(WRITE(_pid))] ->
            waiting?eval(WRITE(_pid)); writers = writers | (1 << _pid) }
    :: d_step { (readers | writers) & (1 << _pid) ->
            readers = readers & ~(1 << _pid); writers = writers & ~(1 << _pid) }
    od
}

active proctype Exclusive() {
    d_step { (readers != 0 && writers != 0) || (writers & (writers - 1)) != 0 -> assert(false) }
}
