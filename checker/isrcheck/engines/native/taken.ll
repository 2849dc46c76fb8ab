{i}:
  %{i}.from = getelementptr i64, ptr %report, i64 {position}
  %{i}.all = load i64, ptr %{i}.from
  store i64 %{i}.all, ptr %left
  br label %{i}.head
{i}.head:
  %{i}.left = load i64, ptr %left
  %{i}.none = icmp eq i64 %{i}.left, 0
  br i1 %{i}.none, label %{following}, label %{i}.body
{i}.body:
  %{i}.state = call i64 @llvm.cttz.i64(i64 %{i}.left, i1 true)
  %{i}.less = add i64 %{i}.left, -1
  %{i}.rest = and i64 %{i}.left, %{i}.less
  store i64 %{i}.rest, ptr %left
  %{i}.count = load i64, ptr %written
  %{i}.more = add i64 %{i}.count, 1
  store i64 %{i}.more, ptr %written
  %{i}.mark = getelementptr {mark}, ptr %marks, i64 %{i}.count
  store {mark} {action}, ptr %{i}.mark
  %{i}.first = mul i64 %{i}.state, {words}
  %{i}.words = getelementptr i64, ptr %words, i64 %{i}.first
  %{i}.place = mul i64 %{i}.count, {words}
  %{i}.successor = getelementptr i64, ptr %out, i64 %{i}.place
  call void @step_{position}(ptr %{i}.words, ptr %{i}.successor)
  br label %{i}.head
