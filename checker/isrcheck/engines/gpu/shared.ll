; What a thread alone does with memory that it shares; "device" says with which others.
define internal i64 @read(ptr %array, i64 %position) alwaysinline {
  %place = getelementptr i64, ptr %array, i64 %position
  %value = load atomic i64, ptr %place syncscope("device") monotonic, align 8
  ret i64 %value
}
define internal void @write_last(ptr %array, i64 %position, i64 %value) alwaysinline {
  %place = getelementptr i64, ptr %array, i64 %position
  store atomic i64 %value, ptr %place syncscope("device") release, align 8
  ret void
}
define internal i64 @swap_if(ptr %array, i64 %position, i64 %old, i64 %new) alwaysinline {
  %place = getelementptr i64, ptr %array, i64 %position
  %pair = cmpxchg ptr %place, i64 %old, i64 %new syncscope("device") monotonic monotonic
  %before = extractvalue { i64, i1 } %pair, 0
  ret i64 %before
}
define internal ptr @as_compact(ptr %table) alwaysinline {
  ret ptr %table
}
define internal i64 @read_entry(ptr %entries, i64 %place) alwaysinline {
  %at = getelementptr i32, ptr %entries, i64 %place
  %entry = load atomic i32, ptr %at syncscope("device") monotonic, align 4
  %value = zext i32 %entry to i64
  ret i64 %value
}
define internal i64 @swap_entry_if(ptr %entries, i64 %place, i64 %old, i64 %new) alwaysinline {
  %at = getelementptr i32, ptr %entries, i64 %place
  %old32 = trunc i64 %old to i32
  %new32 = trunc i64 %new to i32
  %pair = cmpxchg ptr %at, i32 %old32, i32 %new32 syncscope("device") monotonic monotonic
  %before = extractvalue { i32, i1 } %pair, 0
  %value = zext i32 %before to i64
  ret i64 %value
}
define internal i64 @add(ptr %array, i64 %position, i64 %amount) alwaysinline {
  %place = getelementptr i64, ptr %array, i64 %position
  %before = atomicrmw add ptr %place, i64 %amount syncscope("device") monotonic
  ret i64 %before
}
define internal void @wait_for_others() alwaysinline {
  fence syncscope("device") acq_rel
  ret void
}
define internal i64 @scale(i64 %value, i64 %size) alwaysinline {
  %value.wide = zext i64 %value to i128
  %size.wide = zext i64 %size to i128
  %product = mul i128 %value.wide, %size.wide
  %high = lshr i128 %product, 64
  %place = trunc i128 %high to i64
  ret i64 %place
}
