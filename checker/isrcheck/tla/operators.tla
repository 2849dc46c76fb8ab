Max(a, b) == IF a >= b THEN a ELSE b
Min(a, b) == IF a <= b THEN a ELSE b
SetMax(S) == CHOOSE x \in S : \A y \in S : y <= x
SetMin(S) == CHOOSE x \in S : \A y \in S : x <= y
MaxOr(S, none) == IF S = {} THEN none ELSE SetMax(S)
MinOr(S, none) == IF S = {} THEN none ELSE SetMin(S)
Range(f) == {f[x] : x \in DOMAIN f}
Last(s) == s[Len(s)]
\* The first n elements; all, if there are fewer.
Prefix(s, n) == SubSeq(s, 1, Min(n, Len(s)))
\* All but the first n elements.
Suffix(s, n) == SubSeq(s, n + 1, Len(s))
\* The elements after the first m, up to the n-th.
Slice(s, m, n) == SubSeq(s, m + 1, Min(n, Len(s)))
\* The sum of a function's values.
Sum(f) ==
    LET Over[S \in SUBSET DOMAIN f] ==
            IF S = {} THEN 0 ELSE LET x == CHOOSE x \in S : TRUE IN f[x] + Over[S \ {x}]
    IN  Over[DOMAIN f]
