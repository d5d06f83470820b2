// Where the blocks of the source are left. The compiler marks that for most variables with a name: not for one whose
// declaration is jumped over, and for none in a function with a computed goto. For these, and for a literal in an
// expression, the debug information says to which block an instruction belongs.
#include "shim.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/IR/DebugInfo.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"

using namespace llvm;

namespace {

/// The innermost block of the source that an instruction belongs to in its own function; null if that is not known.
const DILocalScope *scopeOf(const Instruction &instruction) {
  const DILocation *location = instruction.getDebugLoc().get();
  if (!location || location->getLine() == 0)
    return nullptr;
  while (location->getInlinedAt())
    location = location->getInlinedAt();
  return location->getScope();
}

/// The block around a block; null for a function.
const DILocalScope *around(const DILocalScope *scope) {
  const auto *block = dyn_cast<DILexicalBlockBase>(scope);
  return block ? block->getScope() : nullptr;
}

bool contains(const DILocalScope *outer, const DILocalScope *inner) {
  for (; inner; inner = around(inner))
    if (inner == outer)
      return true;
  return false;
}

/// The innermost block around all instructions that name the variable; null if there is none but the function.
const DILocalScope *blockOf(const AllocaInst &variable) {
  const DILocalScope *block = nullptr;
  for (const User *user : variable.users()) {
    const auto *instruction = dyn_cast<Instruction>(user);
    const DILocalScope *scope = instruction ? scopeOf(*instruction) : nullptr;
    if (!scope)
      return nullptr;
    block = block ? block : scope;
    while (block && !contains(block, scope))
      block = around(block);
    if (!block)
      return nullptr;
  }
  while (block && isa<DILexicalBlockFile>(block))
    block = around(block);
  return block && isa<DILexicalBlock>(block) ? block : nullptr;
}

/// The block in which a variable is declared; null if that is the whole function, or not known.
const DILocalScope *declaredIn(AllocaInst &variable) {
  for (const DbgVariableRecord *declaration : findDVRDeclares(&variable)) {
    if (declaration->getDebugLoc()->getInlinedAt())
      continue;
    const DILocalScope *block = declaration->getVariable()->getScope();
    while (block && isa<DILexicalBlockFile>(block))
      block = around(block);
    return block && isa<DILexicalBlock>(block) ? block : nullptr;
  }
  return nullptr;
}

/// Whether a local variable belongs to a block or to one in it: by its declaration, or for a temporary, which has none,
/// by one of its uses.
bool belongsTo(AllocaInst &variable, const DILocalScope *block) {
  if (!findDVRDeclares(&variable).empty()) {
    const DILocalScope *scope = declaredIn(variable);
    return scope && contains(block, scope);
  }
  return any_of(variable.users(), [&](const User *user) {
    const auto *instruction = dyn_cast<Instruction>(user);
    const DILocalScope *scope = instruction ? scopeOf(*instruction) : nullptr;
    return scope && contains(block, scope);
  });
}

/// Whether an instruction uses a variable of the block, as a destructor or a cleanup does at its end, where the debug
/// information says that the code is that of the block around it.
bool usesVariableOf(const DILocalScope *block, const AllocaInst &own, const Instruction &instruction) {
  return any_of(instruction.operands(), [&](const Value *operand) {
    auto *variable = dyn_cast<AllocaInst>(const_cast<Value *>(operand));
    if (!variable)
      return false;
    // Where the result and the way out are kept has no declaration either, and is only loaded and stored.
    bool mayBeTemporary = isa<CallBase>(instruction) && !isa<IntrinsicInst>(instruction);
    return variable == &own || (mayBeTemporary || !findDVRDeclares(variable).empty()) && belongsTo(*variable, block);
  });
}

/// The block of the source that the code at a label belongs to; null if that is not known.
const DILocalScope *scopeAt(const BasicBlock &label) {
  for (const Instruction &instruction : label) {
    for (const DbgRecord &record : instruction.getDbgRecordRange())
      if (const auto *named = dyn_cast<DbgLabelRecord>(&record); named && !named->getDebugLoc()->getInlinedAt())
        return named->getLabel()->getScope();
    if (const DILocalScope *scope = scopeOf(instruction))
      return scope;
  }
  return nullptr;
}

/// Whether one use of the variable comes before all others, as the initialisation of a literal does. A variable whose
/// declaration is jumped over has no such use, and is not declared in the debug information either.
bool beginsWithOneUse(const AllocaInst &variable) {
  DominatorTree tree(*const_cast<Function *>(variable.getFunction()));
  const Instruction *first = nullptr;
  for (const User *user : variable.users()) {
    const auto *instruction = cast<Instruction>(user);
    if (!isa<PHINode>(instruction) && (!first || tree.dominates(instruction, first)))
      first = instruction;
  }
  return first && all_of(variable.uses(), [&](const Use &use) {
           return use.getUser() == first || tree.dominates(first, use);
         });
}

/// Where the block is left on the ways from the uses of the variable.
class Exits {
  const DILocalScope *block;
  const AllocaInst &variable;
  /// Code of the blocks around, from which the way may lead to the end of a variable of the block.
  SmallPtrSet<const Instruction *, 32> beforeEnds;
  SmallPtrSet<const BasicBlock *, 16> entered;
  SmallVector<Instruction *, 16> left;
  SmallPtrSet<const Instruction *, 8> found;

  bool isOutside(const Instruction &instruction) const {
    const DILocalScope *scope = scopeOf(instruction);
    return scope && !contains(block, scope);
  }

  /// Marks the code before an instruction as far back as the block itself.
  void markBefore(const Instruction *instruction) {
    SmallVector<const Instruction *, 16> open{instruction};
    while (!open.empty()) {
      const Instruction *at = open.pop_back_val();
      for (; at; at = at->getPrevNode()) {
        const DILocalScope *scope = scopeOf(*at);
        if (scope && contains(block, scope) || !beforeEnds.insert(at).second)
          break;
        if (at == &at->getParent()->front())
          for (const BasicBlock *before : predecessors(at->getParent()))
            open.push_back(before->getTerminator());
      }
    }
  }

public:
  Exits(const DILocalScope *block, const AllocaInst &variable) : block(block), variable(variable) {
    for (const BasicBlock &each : *variable.getFunction())
      for (const Instruction &instruction : each)
        if (isOutside(instruction) && usesVariableOf(block, variable, instruction))
          markBefore(&instruction);
  }

  bool isExit(const Instruction &instruction) const {
    if (isa<ReturnInst>(instruction) || isa<ResumeInst>(instruction))
      return true;
    return isOutside(instruction) && !beforeEnds.contains(&instruction) && !isa<PHINode>(instruction) &&
           !instruction.isEHPad();
  }

  void follow(Instruction *from, InspectInstructionCallback each, void *context) {
    left.push_back(from);
    while (!left.empty()) {
      Instruction *at = left.pop_back_val();
      while (at && !isExit(*at) && !at->isTerminator())
        at = at->getNextNode();
      if (!at)
        continue;
      if (isExit(*at)) {
        if (found.insert(at).second)
          each(context, wrap(at));
        continue;
      }
      for (unsigned i = 0; i < at->getNumSuccessors(); ++i)
        if (BasicBlock *next = at->getSuccessor(i); entered.insert(next).second)
          left.push_back(&next->front());
    }
  }
};

} // namespace

extern "C" void inspect_shim_left_blocks(LLVMValueRef variable, InspectInstructionCallback each, void *context) {
  auto *V = cast<AllocaInst>(unwrap(variable));
  // Memory from `alloca` has a count of 64 bits, and lasts as long as the call.
  if (V->getArraySize()->getType()->getIntegerBitWidth() != 32)
    return;
  bool hasName = !findDVRDeclares(V).empty();
  const DILocalScope *block = hasName ? declaredIn(*V) : blockOf(*V);
  if (!block || (!hasName && !beginsWithOneUse(*V)))
    return;
  Exits exits(block, *V);
  for (User *user : V->users())
    exits.follow(cast<Instruction>(user), each, context);
}

extern "C" void inspect_shim_left_by_computed_gotos(LLVMValueRef variable, InspectInstructionCallback each, void *context) {
  auto *V = cast<AllocaInst>(unwrap(variable));
  SmallPtrSet<const BasicBlock *, 8> labels;
  const DILocalScope *block = nullptr;
  for (BasicBlock &from : *V->getFunction()) {
    if (!isa<IndirectBrInst>(from.getTerminator()))
      continue;
    block = block ? block : declaredIn(*V);
    if (!block)
      return;
    for (BasicBlock *label : successors(&from)) {
      const DILocalScope *scope = labels.insert(label).second ? scopeAt(*label) : nullptr;
      if (scope && !contains(block, scope))
        each(context, wrap(&*label->getFirstInsertionPt()));
    }
  }
}
