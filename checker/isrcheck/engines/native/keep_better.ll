; Values are compared as the packed words are: the first word first, in a word the highest field.
compare:
  br label %compare.head
compare.head:
  %c = phi i64 [ 0, %compare ], [ %c.next, %compare.body ]
  %less = phi {mask} [ zeroinitializer, %compare ], [ %less.next, %compare.body ]
  %equal = phi {mask} [ splat (i1 true), %compare ], [ %equal.next, %compare.body ]
  %equal.bits = bitcast {mask} %equal to i64
  %is.open = icmp ne i64 %equal.bits, 0
  %is.left = icmp ult i64 %c, {count}
  %goes.on = and i1 %is.open, %is.left
  br i1 %goes.on, label %compare.body, label %compared
compare.body:
  %now.at = getelementptr {type}, ptr %values, i64 %c
  %now = load {type}, ptr %now.at, align 64
  %best.at = getelementptr {type}, ptr %best, i64 %c
  %best.now = load {type}, ptr %best.at, align 64
  %below = icmp ult {type} %now, %best.now
  %first.below = and {mask} %equal, %below
  %less.next = or {mask} %less, %first.below
  %same = icmp eq {type} %now, %best.now
  %equal.next = and {mask} %equal, %same
  %c.next = add i64 %c, 1
  br label %compare.head
compared:
  %less.bits = bitcast {mask} %less to i64
  %is.none = icmp eq i64 %less.bits, 0
  br i1 %is.none, label %better, label %keep
keep:
  %k = phi i64 [ 0, %compared ], [ %k.next, %keep ]
  %new.at = getelementptr {type}, ptr %values, i64 %k
  %new = load {type}, ptr %new.at, align 64
  %old.at = getelementptr {type}, ptr %best, i64 %k
  %old = load {type}, ptr %old.at, align 64
  %kept = select {mask} %less, {type} %new, {type} %old
  store {type} %kept, ptr %old.at, align 64
  %k.next = add i64 %k, 1
  %is.more = icmp ult i64 %k.next, {count}
  br i1 %is.more, label %keep, label %better
better:
  %turn.next = add i64 %turn, 1
  br label %try
write:
  call void @llvm.memset.p0.i64(ptr align 64 %side, i8 0, i64 {side}, i1 false)
  br label %write.head
write.head:
  %w = phi i64 [ 0, %write ], [ %w.next, %write.head ]
  %value.at = getelementptr {type}, ptr %best, i64 %w
  %value = load {type}, ptr %value.at, align 64
  %wide = {widen} {type} %value to <64 x i64>
  %word.at = getelementptr [3 x i64], ptr @canonical_batch.fields, i64 %w
  %word = load i64, ptr %word.at
  %shift.at = getelementptr i64, ptr %word.at, i64 1
  %shift = load i64, ptr %shift.at
  %shift.one = insertelement <64 x i64> poison, i64 %shift, i64 0
  %shifts = shufflevector <64 x i64> %shift.one, <64 x i64> poison, <64 x i32> zeroinitializer
  %shifted = shl <64 x i64> %wide, %shifts
  %to = getelementptr [64 x i64], ptr %side, i64 %word
  %before = load <64 x i64>, ptr %to, align 64
  %joined = or <64 x i64> %before, %shifted
  store <64 x i64> %joined, ptr %to, align 64
  %w.next = add i64 %w, 1
  %w.more = icmp ult i64 %w.next, {count}
  br i1 %w.more, label %write.head, label %written
written:
  call void @collect(ptr %side, i64 %count, ptr %words)
