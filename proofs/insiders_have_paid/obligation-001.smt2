; insiders_have_paid initially: unsat
(set-logic ALL)
(declare-sort |Node| 0)
(declare-fun |fee| () Int)
(declare-fun |paid| (|Node|) Int)
(declare-fun |inside| (|Node|) Bool)
(assert (<= 0 |fee|))  ; of |fee|
(assert (forall ((|x!1| |Node|)) (<= 0 (|paid| |x!1|))))  ; of |paid|
; the state is the initial one
(assert (and (= |fee| 0) (forall ((|x!2| |Node|)) (= (|paid| |x!2|) 0)) (forall ((|x!3| |Node|)) (|inside| |x!3|))))
; not insiders_have_paid initially
(assert (not (forall ((|n!4| |Node|)) (=> (|inside| |n!4|) (<= |fee| (|paid| |n!4|))))))
(check-sat)
