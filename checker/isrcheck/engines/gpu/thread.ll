  ; Which of all threads this one is, and how many there are.
  %at.tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %at.block = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %at.size = call i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  %at.blocks = call i32 @llvm.nvvm.read.ptx.sreg.nctaid.x()
  %at.first = mul i32 %at.block, %at.size
  %at.thread = add i32 %at.first, %at.tid
  %at.threads = mul i32 %at.blocks, %at.size
  %thread = zext i32 %at.thread to i64
  %threads = zext i32 %at.threads to i64
