; Of 64 states' words side by side to the values of `count` scalars; `fields` have each scalar's word, shift and mask.
define internal void @unpack_i{bits}(ptr noalias %side, ptr noalias %values, ptr noalias %fields, i64 %count) #0 {{
entry:
  br label %head
head:
  %i = phi i64 [ 0, %entry ], [ %next, %body ]
  %more = icmp ult i64 %i, %count
  br i1 %more, label %body, label %end
body:
  %word.at = getelementptr [3 x i64], ptr %fields, i64 %i
  %word = load i64, ptr %word.at
  %shift.at = getelementptr i64, ptr %word.at, i64 1
  %shift = load i64, ptr %shift.at
  %mask.at = getelementptr i64, ptr %word.at, i64 2
  %mask = load i64, ptr %mask.at
  %from = getelementptr [64 x i64], ptr %side, i64 %word
  %words = load <64 x i64>, ptr %from, align 64
  %shift.one = insertelement <64 x i64> poison, i64 %shift, i64 0
  %shifts = shufflevector <64 x i64> %shift.one, <64 x i64> poison, <64 x i32> zeroinitializer
  %shifted = lshr <64 x i64> %words, %shifts
  %mask.one = insertelement <64 x i64> poison, i64 %mask, i64 0
  %masks = shufflevector <64 x i64> %mask.one, <64 x i64> poison, <64 x i32> zeroinitializer
  %wide = and <64 x i64> %shifted, %masks
  %value = {narrow} <64 x i64> %wide to <64 x i{bits}>
  %to = getelementptr <64 x i{bits}>, ptr %values, i64 %i
  store <64 x i{bits}> %value, ptr %to, align 64
  %next = add i64 %i, 1
  br label %head
end:
  ret void
}}
