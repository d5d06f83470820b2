// Local variables become registers without losing that they begin uninitialised: what a register holds before the first
// store is not undefined, which the optimiser may replace by what suits it, but is loaded from a variable that nobody
// writes.
#include "shim.h"
#include "llvm/IR/DebugInfo.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/PassManager.h"
#include "llvm/Transforms/Utils/PromoteMemToReg.h"

using namespace llvm;

namespace {

/// Promotes the variables of one value, after giving each the contents of its twin wherever it begins.
struct PromoteWithBegins : PassInfoMixin<PromoteWithBegins> {
  PreservedAnalyses run(Function &function, FunctionAnalysisManager &manager) {
    if (function.isDeclaration())
      return PreservedAnalyses::all();
    SmallVector<AllocaInst *, 16> variables;
    for (Instruction &instruction : function.getEntryBlock())
      if (auto *variable = dyn_cast<AllocaInst>(&instruction))
        if (variable->getAllocatedType()->isSingleValueType() && isAllocaPromotable(variable))
          variables.push_back(variable);
    for (AllocaInst *variable : variables)
      if (!isStoredFirst(*variable))
        begin(*variable);
    if (variables.empty())
      return PreservedAnalyses::all();
    PromoteMemToReg(variables, manager.getResult<DominatorTreeAnalysis>(function));
    return PreservedAnalyses::none();
  }
  static bool isRequired() { return true; }

private:
  /// Whether the entry block stores to the variable before anything else is done with it.
  static bool isStoredFirst(AllocaInst &variable) {
    for (Instruction *next = variable.getNextNode(); next; next = next->getNextNode()) {
      auto *store = dyn_cast<StoreInst>(next);
      if (store && store->getPointerOperand() == &variable)
        return true;
      if (is_contained(next->operands(), &variable))
        return false;
    }
    return false;
  }

  /// Where the source declares the variable.
  static DebugLoc declaration(AllocaInst &variable) {
    for (DbgVariableRecord *record : findDVRDeclares(&variable))
      return record->getDebugLoc();
    return DebugLoc();
  }

  /// The place behind a variable and those that follow it. In a part of a coroutine, others may stand further on.
  static Instruction *behind(AllocaInst &variable) {
    Instruction *place = variable.getNextNode();
    while (isa<AllocaInst>(place))
      place = place->getNextNode();
    return place;
  }

  static void begin(AllocaInst &variable) {
    IRBuilder<> builder(&variable);
    AllocaInst *twin = builder.CreateAlloca(variable.getAllocatedType());
    twin->setAlignment(variable.getAlign());
    SmallVector<Instruction *, 4> begins;
    for (User *user : variable.users())
      if (auto *marker = dyn_cast<LifetimeIntrinsic>(user); marker && marker->getIntrinsicID() == Intrinsic::lifetime_start)
        begins.push_back(marker->getNextNode());
    if (begins.empty())
      begins.push_back(behind(variable));
    for (Instruction *place : begins) {
      builder.SetInsertPoint(place);
      if (DebugLoc location = declaration(variable))
        builder.SetCurrentDebugLocation(location);
      builder.CreateLifetimeStart(twin);
      builder.CreateStore(builder.CreateLoad(variable.getAllocatedType(), twin), &variable);
    }
  }
};

} // namespace
