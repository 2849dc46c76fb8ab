; What the threads of a warp do together: one of them asks the memory for all.
declare i32 @llvm.nvvm.read.ptx.sreg.laneid()
declare i32 @llvm.nvvm.redux.sync.add(i32, i32)
declare i32 @llvm.nvvm.vote.ballot.sync(i32, i1)
declare i32 @llvm.nvvm.shfl.sync.up.i32(i32, i32, i32, i32)
declare i32 @llvm.nvvm.shfl.sync.bfly.i32(i32, i32, i32, i32)
declare i32 @llvm.nvvm.shfl.sync.idx.i32(i32, i32, i32, i32)
declare i32 @llvm.ctpop.i32(i32)
define internal i64 @lane_value(i64 %value, i32 %lane) alwaysinline {
  %low = trunc i64 %value to i32
  %up = lshr i64 %value, 32
  %high = trunc i64 %up to i32
  %its.low = call i32 @llvm.nvvm.shfl.sync.idx.i32(i32 -1, i32 %low, i32 %lane, i32 31)
  %its.high = call i32 @llvm.nvvm.shfl.sync.idx.i32(i32 -1, i32 %high, i32 %lane, i32 31)
  %low64 = zext i32 %its.low to i64
  %high64 = zext i32 %its.high to i64
  %upper = shl i64 %high64, 32
  %result = or i64 %low64, %upper
  ret i64 %result
}
define internal i64 @reserve_one(ptr %array, i64 %position, i64 %is_asked) alwaysinline {
entry:
  %asked = icmp ne i64 %is_asked, 0
  %mask = call i32 @llvm.nvvm.vote.ballot.sync(i32 -1, i1 %asked)
  %any = icmp ne i32 %mask, 0
  br i1 %any, label %some, label %end
some:
  %lane = call i32 @llvm.nvvm.read.ptx.sreg.laneid()
  %is.first = icmp eq i32 %lane, 0
  br i1 %is.first, label %ask, label %share
ask:
  %total = call i32 @llvm.ctpop.i32(i32 %mask)
  %total64 = zext i32 %total to i64
  %old = call i64 @add(ptr %array, i64 %position, i64 %total64)
  br label %share
share:
  %own = phi i64 [ 0, %some ], [ %old, %ask ]
  %first = call i64 @lane_value(i64 %own, i32 0)
  %bit = shl i32 1, %lane
  %below = sub i32 %bit, 1
  %before = and i32 %mask, %below
  %rank = call i32 @llvm.ctpop.i32(i32 %before)
  %rank64 = zext i32 %rank to i64
  %place = add i64 %first, %rank64
  br label %end
end:
  %result = phi i64 [ 0, %entry ], [ %place, %share ]
  ret i64 %result
}
define internal i64 @reserve(ptr %array, i64 %position, i64 %amount) alwaysinline {
entry:
  %lane = call i32 @llvm.nvvm.read.ptx.sreg.laneid()
  %own = trunc i64 %amount to i32
  br label %head
head:
  %d = phi i32 [ 1, %entry ], [ %twice, %head ]
  %sum = phi i32 [ %own, %entry ], [ %more, %head ]
  %from = call i32 @llvm.nvvm.shfl.sync.up.i32(i32 -1, i32 %sum, i32 %d, i32 0)
  %has = icmp uge i32 %lane, %d
  %plus = select i1 %has, i32 %from, i32 0
  %more = add i32 %sum, %plus
  %twice = shl i32 %d, 1
  %again = icmp ult i32 %twice, LANES
  br i1 %again, label %head, label %summed
summed:
  %is.last = icmp eq i32 %lane, LAST_LANE
  br i1 %is.last, label %ask, label %share
ask:
  %total64 = zext i32 %more to i64
  %old = call i64 @add(ptr %array, i64 %position, i64 %total64)
  br label %share
share:
  %known = phi i64 [ 0, %summed ], [ %old, %ask ]
  %first = call i64 @lane_value(i64 %known, i32 LAST_LANE)
  %before = sub i32 %more, %own
  %before64 = zext i32 %before to i64
  %result = add i64 %first, %before64
  ret i64 %result
}
define internal void @count(ptr %array, i64 %position, i64 %amount) alwaysinline {
entry:
  %own = trunc i64 %amount to i32
  %total = call i32 @llvm.nvvm.redux.sync.add(i32 %own, i32 -1)
  %lane = call i32 @llvm.nvvm.read.ptx.sreg.laneid()
  %is.first = icmp eq i32 %lane, 0
  %any = icmp ne i32 %total, 0
  %asks = and i1 %is.first, %any
  br i1 %asks, label %ask, label %end
ask:
  %total64 = zext i32 %total to i64
  call i64 @add(ptr %array, i64 %position, i64 %total64)
  br label %end
end:
  ret void
}
define internal void @add_up(ptr %array, i64 %position, i64 %amount) alwaysinline {
entry:
  %lane = call i32 @llvm.nvvm.read.ptx.sreg.laneid()
  br label %head
head:
  %d = phi i32 [ HALF, %entry ], [ %half, %head ]
  %sum = phi i64 [ %amount, %entry ], [ %more, %head ]
  %low = trunc i64 %sum to i32
  %up = lshr i64 %sum, 32
  %high = trunc i64 %up to i32
  %its.low = call i32 @llvm.nvvm.shfl.sync.bfly.i32(i32 -1, i32 %low, i32 %d, i32 31)
  %its.high = call i32 @llvm.nvvm.shfl.sync.bfly.i32(i32 -1, i32 %high, i32 %d, i32 31)
  %low64 = zext i32 %its.low to i64
  %high64 = zext i32 %its.high to i64
  %upper = shl i64 %high64, 32
  %its = or i64 %low64, %upper
  %more = add i64 %sum, %its
  %half = lshr i32 %d, 1
  %again = icmp ne i32 %half, 0
  br i1 %again, label %head, label %summed
summed:
  %is.first = icmp eq i32 %lane, 0
  %any = icmp ne i64 %more, 0
  %asks = and i1 %is.first, %any
  br i1 %asks, label %ask, label %end
ask:
  call i64 @add(ptr %array, i64 %position, i64 %more)
  br label %end
end:
  ret void
}
