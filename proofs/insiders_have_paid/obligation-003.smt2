; insiders_have_paid by pay: unsat
(set-logic ALL)
(declare-sort |Node| 0)
(declare-fun |inside| (|Node|) Bool)
(declare-fun |fee| () Int)
(declare-fun |paid| (|Node|) Int)
(declare-fun |given who| () |Node|)
(assert (<= 0 |fee|))  ; of |fee|
(assert (forall ((|x!1| |Node|)) (<= 0 (|paid| |x!1|))))  ; of |paid|
; insiders_have_paid before the step
(assert (forall ((|n!2| |Node|)) (=> (|inside| |n!2|) (<= |fee| (|paid| |n!2|)))))
; not insiders_have_paid by pay
(assert (not (forall ((|n!3| |Node|)) (=> (|inside| |n!3|) (<= |fee| (ite (= |n!3| |given who|) (+ (|paid| |given who|) 1) (|paid| |n!3|)))))))
(check-sat)
