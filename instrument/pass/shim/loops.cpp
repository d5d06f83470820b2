// Questions about the code that the C interface of LLVM cannot answer.
#include "shim.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/DataLayout.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstrTypes.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/ModuleUtils.h"

using namespace llvm;

extern "C" void inspect_shim_loops(LLVMValueRef function, InspectLoopCallback each, void *context) {
  auto *F = cast<Function>(unwrap(function));
  DominatorTree dominators(*F);
  LoopInfo loops(dominators);
  for (Loop *loop : loops.getLoopsInPreorder()) {
    SmallVector<LLVMBasicBlockRef, 16> blocks;
    for (BasicBlock *block : loop->blocks())
      blocks.push_back(wrap(block));
    each(context, wrap(loop->getHeader()), blocks.data(), blocks.size());
  }
}

extern "C" bool inspect_shim_dominates(LLVMValueRef first, LLVMValueRef second) {
  auto *I = cast<Instruction>(unwrap(first));
  return DominatorTree(*I->getFunction()).dominates(I, cast<Instruction>(unwrap(second)));
}

extern "C" LLVMValueRef inspect_shim_when_back(LLVMValueRef phi, LLVMValueRef first) {
  auto *P = cast<PHINode>(unwrap(phi));
  auto *before = cast<Instruction>(unwrap(first));
  BasicBlock *header = P->getParent();
  DominatorTree tree(*header->getParent());
  IRBuilder<> builder(P);
  PHINode *start = builder.CreatePHI(P->getType(), P->getNumIncomingValues());
  PHINode *visited = builder.CreatePHI(builder.getInt1Ty(), P->getNumIncomingValues());
  for (unsigned i = 0; i < P->getNumIncomingValues(); ++i) {
    BasicBlock *from = P->getIncomingBlock(i);
    bool again = tree.dominates(header, from);
    start->addIncoming(again ? start : P->getIncomingValue(i), from);
    visited->addIncoming(builder.getInt1(again), from);
  }
  builder.SetInsertPoint(before);
  Value *back = builder.CreateAnd(visited, builder.CreateICmpEQ(P, start));
  return wrap(SplitBlockAndInsertIfThen(back, before->getIterator(), false));
}

extern "C" uint64_t inspect_shim_byval_size(LLVMValueRef call, uint32_t index) {
  auto *C = cast<CallBase>(unwrap(call));
  if (!C->isByValArgument(index))
    return 0;
  return C->getModule()->getDataLayout().getTypeAllocSize(C->getParamByValType(index));
}

extern "C" uint64_t inspect_shim_asm_operand_size(LLVMValueRef call, uint32_t index) {
  auto *C = cast<CallBase>(unwrap(call));
  Type *type = C->getParamElementType(index);
  return type && type->isSized() ? C->getModule()->getDataLayout().getTypeStoreSize(type).getKnownMinValue() : 0;
}

extern "C" void inspect_shim_keep(LLVMValueRef global) {
  auto *G = cast<GlobalValue>(unwrap(global));
  appendToUsed(*G->getParent(), {G});
}

extern "C" void inspect_shim_constructor(LLVMValueRef function, uint64_t mark) {
  auto *F = cast<Function>(unwrap(function));
  F->setPrefixData(ConstantInt::get(Type::getInt64Ty(F->getContext()), mark));
  appendToGlobalCtors(*F->getParent(), F, 0);
}
