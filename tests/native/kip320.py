"""KIP-320 as a scalar system, grounded by hand: what the benchmark and the tests of the native engine search."""

from collections.abc import Callable

from isrcheck.ir.property_kinds import INVARIANT
from isrcheck.ir.scalar import Condition, Instance, Node, Scalar, ScalarProperty, ScalarSystem, Symmetry
from isrcheck.passes.fold import Nodes

ACTIONS = (
    "controller_elect_leader", "controller_shrink_isr", "become_leader", "leader_write", "leader_shrink_isr",
    "leader_expand_isr", "follower_fetch", "leader_inc_high_watermark", "become_follower_and_truncate",
)  # fmt: skip


class _Builder:
    """The variables of the design by name, and its instances in the order of the actions."""

    def __init__(self, n: int, size: int, records: int, epochs: int) -> None:
        self.n, self.size, self.records, self.epochs = n, size, records, epochs
        self.nodes = Nodes()
        self.scalars: list[Scalar] = []
        self.initial: list[int] = []
        self.position: dict[Node, int] = {}
        none, full = n, (1 << n) - 1
        self.log = [
            [(self._var(f"id{r}_{o}", records), self._var(f"ep{r}_{o}", epochs + 1)) for o in range(size)]
            for r in range(n)
        ]
        self.end = [self._var(f"end{r}", size + 1) for r in range(n)]
        self.hw = [self._var(f"hw{r}", size + 1) for r in range(n)]
        self.le = [self._var(f"le{r}", epochs + 2) for r in range(n)]
        self.ld = [self._var(f"ld{r}", n + 1, none) for r in range(n)]
        self.isr = [self._var(f"isr{r}", 1 << n) for r in range(n)]
        self.nrec = self._var("nrec", records + 1)
        self.nep = self._var("nep", epochs + 2)
        self.rld = [self._var(f"rld{e}", n + 1, none) for e in range(epochs + 1)]
        self.risr = [self._var(f"risr{e}", 1 << n) for e in range(epochs + 1)]
        self.qle = self._var("qle", epochs + 2)
        self.qld = self._var("qld", n + 1, none)
        self.qisr = self._var("qisr", 1 << n, full)
        self.instances: list[Instance] = []

    def _var(self, name: str, size: int, initial: int = 0) -> Node:
        node = self.nodes.var(len(self.scalars), size)
        self.position[node] = len(self.scalars)
        self.scalars.append(Scalar(name, size))
        self.initial.append(initial)
        return node

    def step(self, action: int, guard: Node, updates: dict[Node, Node]) -> None:
        placed = tuple((self.position[target], node) for target, node in updates.items())
        self.instances.append(Instance(action, (), guard, self.nodes.false, placed, ()))

    def request(self, action: int, guard: Node, leader: Node, isr: Node) -> None:
        """A new leader-and-ISR request of the controller, with the next epoch."""
        k = self.nodes
        for e in range(self.epochs + 1):
            updates = {self.qld: leader, self.qisr: isr, self.qle: k.const(e + 1), self.nep: k.const(e + 1)}
            updates |= {self.rld[e]: leader, self.risr[e]: isr}
            self.step(action, k.and_(guard, k.eq(self.nep, k.const(e))), updates)

    def controller(self) -> None:
        k = self.nodes
        for r in range(self.n):
            self.request(0, k.and_(k.bit(self.qisr, r), k.not_(self._leads(r))), k.const(r), self.qisr)
        for r in range(self.n):
            alone, none = k.const(1 << r), k.const(self.n)
            without = k.bit_and_not(self.qisr, alone)
            last = k.eq(self.qisr, alone)
            self.request(1, k.and_(self._leads(r), last), none, self.qisr)
            self.request(1, k.and_(self._leads(r), k.not_(last)), none, without)
            self.request(1, k.and_(k.not_(self._leads(r)), k.bit(self.qisr, r)), self.qld, without)

    def _leads(self, r: int) -> Node:
        return self.nodes.eq(self.qld, self.nodes.const(r))

    def leaders(self) -> None:
        k = self.nodes
        for e in range(self.epochs + 1):
            for r in range(self.n):
                guard = [k.lt(k.const(e), self.nep), k.eq(self.rld[e], k.const(r)), k.lt(self.le[r], k.const(e + 1))]
                updates = {self.le[r]: k.const(e + 1), self.ld[r]: k.const(r), self.isr[r]: self.risr[e]}
                self.step(2, k.and_(*guard), updates)
        for r in range(self.n):
            for o in range(self.size):
                guard = [self.presumes(r), k.lt(self.nrec, k.const(self.records)), k.eq(self.end[r], k.const(o))]
                ident, epoch = self.log[r][o]
                updates = {ident: self.nrec, epoch: k.sub(self.le[r], k.const(1)), self.end[r]: k.const(o + 1)}
                self.step(3, k.and_(*guard), updates | {self.nrec: k.add(self.nrec, k.const(1))})

    def presumes(self, r: int) -> Node:
        return self.nodes.eq(self.ld[r], self.nodes.const(r))

    def follows(self, f: int, leader: int) -> Node:
        k = self.nodes
        return k.and_(k.eq(self.ld[f], k.const(leader)), k.eq(self.le[f], self.le[leader]))

    def pairs(self) -> list[tuple[int, int]]:
        return [(a, b) for a in range(self.n) for b in range(self.n) if a != b]

    def true_leader(self, r: int) -> Node:
        k = self.nodes
        return k.and_(self.presumes(r), k.eq(self.qld, k.const(r)), k.eq(self.le[r], self.qle))

    def shrink_isr(self) -> None:
        k = self.nodes
        for leader, f in self.pairs():
            behind = k.or_(k.not_(self.follows(f, leader)), k.lt(self.end[f], self.end[leader]))
            isr = k.bit_and_not(self.isr[leader], k.const(1 << f))
            guard = k.and_(self.true_leader(leader), k.bit(self.isr[leader], f), behind)
            self.step(4, guard, {self.qisr: isr, self.isr[leader]: isr})

    def expand_isr(self) -> None:
        k = self.nodes
        for leader, f in self.pairs():
            hw, end = self.hw[leader], self.end[leader]
            reign = k.const(0)
            for offset, (_, epoch) in reversed([*enumerate(self.log[leader])]):
                reign = k.ite(k.eq(hw, k.const(offset)), epoch, reign)
            current = k.and_(k.lt(hw, end), k.eq(k.add(reign, k.const(1)), self.le[leader]))
            caught_up = k.or_(k.eq(hw, k.const(0)), k.lt(k.sub(hw, k.const(1)), self.end[f]))
            isr = k.bit_or(self.isr[leader], k.const(1 << f))
            guard = [self.true_leader(leader), k.not_(k.bit(self.isr[leader], f)), self.follows(f, leader)]
            updates = {self.qisr: isr, self.isr[leader]: isr}
            self.step(5, k.and_(*guard, caught_up, k.or_(k.eq(hw, end), current)), updates)

    def fetch(self) -> None:
        k = self.nodes
        for leader, f in self.pairs():
            for o in range(self.size):
                here = k.and_(k.eq(self.end[f], k.const(o)), k.lt(k.const(o), self.end[leader]))
                (ident, epoch), (its_ident, its_epoch) = self.log[f][o], self.log[leader][o]
                updates = {ident: its_ident, epoch: its_epoch, self.end[f]: k.const(o + 1)}
                updates[self.hw[f]] = k.min_(self.hw[leader], k.const(o + 1))
                self.step(6, k.and_(self.presumes(leader), self.follows(f, leader), here), updates)

    def commit(self) -> None:
        k = self.nodes
        for leader in range(self.n):
            hw = self.hw[leader]
            held = [
                k.or_(k.not_(k.bit(self.isr[leader], f)), k.and_(self.follows(f, leader), k.lt(hw, self.end[f])))
                for f in range(self.n)
            ]
            guard = k.and_(self.presumes(leader), k.lt(hw, self.end[leader]), *held)
            self.step(7, guard, {hw: k.add(hw, k.const(1))})

    def matches(self, a: int, b: int, o: int) -> Node:
        k = self.nodes
        (ident, epoch), (its_ident, its_epoch) = self.log[a][o], self.log[b][o]
        both = k.and_(k.lt(k.const(o), self.end[a]), k.lt(k.const(o), self.end[b]))
        return k.and_(both, k.eq(ident, its_ident), k.eq(epoch, its_epoch))

    def truncate(self) -> None:
        k = self.nodes
        for leader, f in self.pairs():
            keep = k.const(0)
            for o in range(self.size):
                keep = k.ite(self.matches(f, leader, o), k.const(o + 1), keep)
            for e in range(self.epochs + 1):
                updates = {self.end[f]: keep, self.le[f]: k.const(e + 1), self.ld[f]: k.const(leader)}
                updates |= {self.isr[f]: self.risr[e], self.hw[f]: k.min_(keep, self.hw[f])}
                for o in range(self.size):
                    for each in self.log[f][o]:
                        updates[each] = k.ite(k.lt(k.const(o), keep), each, k.const(0))
                request = k.and_(k.lt(k.const(e), self.nep), k.eq(self.rld[e], k.const(leader)))
                ready = k.and_(self.presumes(leader), k.eq(self.le[leader], k.const(e + 1)))
                self.step(8, k.and_(request, k.lt(self.le[f], k.const(e + 1)), ready), updates)

    def safe(self, isr_of: Callable[[int], Node]) -> Node:
        """Every member of the ISR holds every record below a presumed leader's high watermark."""
        k = self.nodes
        parts = []
        for a in range(self.n):
            for b in range(self.n):
                for o in range(self.size):
                    asked = k.and_(self.presumes(a), k.bit(isr_of(a), b), k.lt(k.const(o), self.hw[a]))
                    parts.append(k.or_(k.not_(asked), self.matches(a, b, o)))
        return k.and_(*parts)

    def system(self) -> ScalarSystem:
        self.controller()
        self.leaders()
        self.shrink_isr()
        self.expand_isr()
        self.fetch()
        self.commit()
        self.truncate()
        properties = (
            ScalarProperty("weak_isr", INVARIANT, (Condition(self.safe(lambda a: self.isr[a]), ()),)),
            ScalarProperty("strong_isr", INVARIANT, (Condition(self.safe(lambda a: self.qisr), ()),)),
        )
        return ScalarSystem(
            tuple(self.scalars), tuple(self.initial), ACTIONS, tuple(self.instances), properties, (self.symmetry(),)
        )

    def symmetry(self) -> Symmetry:
        return Symmetry("Replica", self.n, tuple(self._swap(i) for i in range(self.n - 1)))

    def _swap(self, i: int) -> tuple[Node, ...]:
        k = self.nodes
        after = {node: node for node in self.position}
        for row in (self.end, self.hw, self.le):
            after[row[i]], after[row[i + 1]] = row[i + 1], row[i]
        for o in range(self.size):
            for field in (0, 1):
                a, b = self.log[i][o][field], self.log[i + 1][o][field]
                after[a], after[b] = b, a

        def member(node: Node) -> Node:
            here, there = k.const(i), k.const(i + 1)
            return k.ite(k.eq(node, here), there, k.ite(k.eq(node, there), here, node))

        def members(node: Node) -> Node:
            others = k.bit_and(node, k.const(((1 << self.n) - 1) & ~(3 << i)))
            first = k.ite(k.bit(node, i), k.const(2 << i), k.const(0))
            second = k.ite(k.bit(node, i + 1), k.const(1 << i), k.const(0))
            return k.bit_or(k.bit_or(others, first), second)

        for node in [*self.rld, self.qld]:
            after[node] = member(node)
        for node in [*self.risr, self.qisr]:
            after[node] = members(node)
        for r in range(self.n):
            other = i + 1 if r == i else i if r == i + 1 else r
            after[self.ld[r]] = member(self.ld[other])
            after[self.isr[r]] = members(self.isr[other])
        return tuple(after[node] for node in sorted(self.position, key=self.position.__getitem__))


def kip320(replicas: int, log_size: int, max_records: int, max_leader_epoch: int) -> ScalarSystem:
    """The design at these constants, with weak_isr and strong_isr; both hold."""
    return _Builder(replicas, log_size, max_records, max_leader_epoch).system()
