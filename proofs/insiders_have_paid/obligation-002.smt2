; insiders_have_paid by raise_fee: unsat
(set-logic ALL)
(declare-sort |Node| 0)
(declare-fun |inside| (|Node|) Bool)
(declare-fun |fee| () Int)
(declare-fun |paid| (|Node|) Int)
(assert (<= 0 |fee|))  ; of |fee|
(assert (forall ((|x!1| |Node|)) (<= 0 (|paid| |x!1|))))  ; of |paid|
; insiders_have_paid before the step
(assert (forall ((|n!2| |Node|)) (=> (|inside| |n!2|) (<= |fee| (|paid| |n!2|)))))
; not insiders_have_paid by raise_fee
(assert (not (forall ((|n!3| |Node|)) (=> (and (|inside| |n!3|) (<= (+ |fee| 1) (|paid| |n!3|))) (<= (+ |fee| 1) (|paid| |n!3|))))))
(check-sat)
