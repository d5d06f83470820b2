// Says where an instruction stands in the user's source and which variable it accesses, from the debug information.
//
// A name is built backwards from the address: the variable that holds or is the base, then the members and elements that
// the offsets select (`q.head`, `p->next`, `a[i]`, `*p`). What cannot be named gets the longest part that can, or nothing.
#include "shim.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/BinaryFormat/Dwarf.h"
#include "llvm/IR/DataLayout.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/DebugProgramInstruction.h"
#include "llvm/IR/GlobalVariable.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Operator.h"
#include "llvm/Support/Path.h"
#include <map>
#include <string>

using namespace llvm;

namespace {

/// An expression of the user's language. With `pointer` the text is a pointer and the object is what it points to.
struct Expression {
  std::string text;
  const DIType *type = nullptr;
  bool pointer = false;
  bool known() const { return !text.empty(); }
  std::string object() const { return pointer ? "*" + text : text; }
};

/// A local variable and whether the value is its address (else: its content).
struct Local {
  const DILocalVariable *variable;
  bool address;
};

std::map<const Function *, std::map<const Value *, Local>> remembered;

bool isSystemFile(StringRef file) { return file.starts_with("/usr/"); }

std::string absolutePath(const DIFile *file) {
  if (!file)
    return {};
  SmallString<128> path(file->getFilename());
  if (!sys::path::is_absolute(path) && !file->getDirectory().empty()) {
    path = file->getDirectory();
    sys::path::append(path, file->getFilename());
  }
  sys::path::remove_dots(path, /*remove_dot_dot=*/true);
  return std::string(path);
}

const DIType *strip(const DIType *type) {
  while (const auto *derived = dyn_cast_or_null<DIDerivedType>(type)) {
    switch (derived->getTag()) {
    case dwarf::DW_TAG_typedef:
    case dwarf::DW_TAG_const_type:
    case dwarf::DW_TAG_volatile_type:
    case dwarf::DW_TAG_restrict_type:
    case dwarf::DW_TAG_atomic_type:
      type = derived->getBaseType();
      continue;
    default:
      return type;
    }
  }
  return type;
}

uint64_t sizeInBytes(const DIType *type) {
  type = strip(type);
  return type ? type->getSizeInBits() / 8 : 0;
}

/// What a pointer or reference of this type leads to; null for another type.
const DIDerivedType *asPointer(const DIType *type) {
  const auto *derived = dyn_cast_or_null<DIDerivedType>(strip(type));
  if (!derived)
    return nullptr;
  switch (derived->getTag()) {
  case dwarf::DW_TAG_pointer_type:
  case dwarf::DW_TAG_reference_type:
  case dwarf::DW_TAG_rvalue_reference_type:
    return derived;
  default:
    return nullptr;
  }
}

/// The object that a pointer-valued expression leads to.
Expression pointee(const std::string &text, const DIType *type) {
  const DIDerivedType *pointer = asPointer(type);
  if (!pointer)
    return {text, nullptr, true};
  bool reference = pointer->getTag() != dwarf::DW_TAG_pointer_type;
  return {text, pointer->getBaseType(), !reference};
}

uint64_t pointeeSize(const DILocalVariable *variable) {
  const DIDerivedType *pointer = asPointer(variable->getType());
  return pointer ? sizeInBytes(pointer->getBaseType()) : 0;
}

const std::map<const Value *, Local> &localsOf(const Function *function) {
  auto found = remembered.find(function);
  if (found != remembered.end())
    return found->second;
  auto &locals = remembered[function];
  for (const Instruction &instruction : instructions(*function))
    for (const DbgVariableRecord &record : filterDbgVars(instruction.getDbgRecordRange())) {
      if (record.getNumVariableLocationOps() != 1 || record.getVariable()->getName().empty())
        continue;
      const Value *value = record.getVariableLocationOp(0);
      if (!value || isa<Constant>(value) || isSystemFile(absolutePath(record.getVariable()->getFile())))
        continue;
      unsigned elements = record.getExpression()->getNumElements();
      bool dereferenced = elements == 1 && record.getExpression()->getElement(0) == dwarf::DW_OP_deref;
      if (elements != 0 && !dereferenced)
        continue;
      Local local{record.getVariable(), record.isDbgDeclare() || dereferenced};
      auto [known, added] = locals.insert({value, local});
      // Of several names the one with the more telling type: `struct node *n = argument` rather than `void *argument`.
      if (!added && !known->second.address && !pointeeSize(known->second.variable) && pointeeSize(local.variable))
        known->second = local;
    }
  return locals;
}

const Value *withoutCasts(const Value *value) {
  while (const auto *cast = dyn_cast<CastInst>(value))
    value = cast->getOperand(0);
  return value;
}

std::string indexName(const Function *function, const Value *value) {
  const auto &locals = localsOf(function);
  for (const Value *candidate : {value, withoutCasts(value)}) {
    auto found = locals.find(candidate);
    if (found != locals.end() && !found->second.address)
      return found->second.variable->getName().str();
  }
  return "...";
}

/// The offset of an address from its base: bytes, and at most one variable term.
struct Offset {
  uint64_t bytes = 0;
  std::string index;
  uint64_t scale = 0;
};

std::string element(Offset &offset, uint64_t size) {
  uint64_t number = offset.bytes / size;
  offset.bytes %= size;
  if (offset.scale == 0 || offset.scale < size)
    return "[" + std::to_string(number) + "]";
  std::string text = offset.scale == size ? offset.index : "...";
  offset.scale = 0;
  return number ? "[" + text + " + " + std::to_string(number) + "]" : "[" + text + "]";
}

/// Follows the offset into members and elements; `size` bytes are accessed there.
Expression descend(Expression expression, Offset offset, uint64_t size) {
  for (unsigned depth = 0; depth < 16; ++depth) {
    const DIType *type = strip(expression.type);
    uint64_t whole = sizeInBytes(type);
    if (expression.pointer && whole && (offset.bytes >= whole || offset.scale >= whole)) {
      expression.text += element(offset, whole);
      expression.pointer = false;
      continue;
    }
    const auto *composite = dyn_cast_or_null<DICompositeType>(type);
    if (!composite || (offset.bytes == 0 && offset.scale == 0 && (size == 0 || size >= whole)))
      break;
    if (composite->getTag() == dwarf::DW_TAG_array_type) {
      const DIType *base = composite->getBaseType();
      uint64_t unit = sizeInBytes(base);
      if (!unit)
        break;
      std::string text = expression.pointer ? "(*" + expression.text + ")" : expression.text;
      // An array of arrays: the debug information has one type with several ranges.
      expression = {text + element(offset, unit), base, false};
      continue;
    }
    const DIDerivedType *member = nullptr;
    for (const DINode *node : composite->getElements()) {
      const auto *candidate = dyn_cast_or_null<DIDerivedType>(node);
      if (!candidate || candidate->isStaticMember())
        continue;
      if (candidate->getTag() != dwarf::DW_TAG_member && candidate->getTag() != dwarf::DW_TAG_inheritance)
        continue;
      uint64_t from = candidate->getOffsetInBits() / 8;
      uint64_t length = sizeInBytes(candidate->getBaseType());
      if (offset.bytes >= from && offset.bytes < from + length) {
        member = candidate;
        break;
      }
    }
    if (!member)
      break;
    offset.bytes -= member->getOffsetInBits() / 8;
    bool named = member->getTag() == dwarf::DW_TAG_member && !member->getName().empty();
    if (named) {
      std::string base = expression.text[0] == '*' ? "(" + expression.text + ")" : expression.text;
      expression.text = base + (expression.pointer ? "->" : ".") + member->getName().str();
      expression.pointer = false;
    }
    expression.type = member->getBaseType();
  }
  return expression;
}

Expression objectAt(const Value *pointer, const Function *function, Offset offset, uint64_t size, unsigned depth);

/// The object at a base address, without offset.
Expression baseObject(const Value *value, const Function *function, unsigned depth) {
  if (const auto *global = dyn_cast<GlobalVariable>(value)) {
    SmallVector<DIGlobalVariableExpression *, 1> infos;
    global->getDebugInfo(infos);
    if (!infos.empty() && !infos[0]->getVariable()->getName().empty())
      return {infos[0]->getVariable()->getName().str(), infos[0]->getVariable()->getType(), false};
    return {global->hasPrivateLinkage() ? std::string() : global->getName().str(), nullptr, false};
  }
  const auto &locals = localsOf(function);
  auto found = locals.find(value);
  if (found != locals.end()) {
    std::string name = found->second.variable->getName().str();
    const DIType *type = found->second.variable->getType();
    return found->second.address ? Expression{name, type, false} : pointee(name, type);
  }
  if (depth > 6)
    return {};
  if (const auto *load = dyn_cast<LoadInst>(value)) {
    Expression holder = objectAt(load->getPointerOperand(), function, {}, 8, depth + 1);
    if (!holder.known())
      return {};
    return pointee(holder.object(), holder.type);
  }
  if (const auto *intrinsic = dyn_cast<IntrinsicInst>(value))
    if (intrinsic->getIntrinsicID() == Intrinsic::threadlocal_address)
      return baseObject(intrinsic->getArgOperand(0), function, depth + 1);
  return {};
}

Expression objectAt(const Value *pointer, const Function *function, Offset offset, uint64_t size, unsigned depth) {
  const DataLayout &layout = function->getParent()->getDataLayout();
  if (localsOf(function).find(pointer) == localsOf(function).end())
    while (const auto *gep = dyn_cast<GEPOperator>(pointer)) {
      SmallMapVector<Value *, APInt, 4> variable;
      APInt constant(64, 0);
      if (!gep->collectOffset(layout, 64, variable, constant))
        break;
      offset.bytes += constant.getSExtValue();
      for (auto &[index, scale] : variable) {
        if (scale.isZero())
          continue;
        offset.index = offset.scale ? "..." : indexName(function, index);
        offset.scale = std::max<uint64_t>(offset.scale, scale.getZExtValue());
      }
      pointer = gep->getPointerOperand();
    }
  Expression base = baseObject(pointer, function, depth);
  if (!base.known() || static_cast<int64_t>(offset.bytes) < 0)
    return base;
  return descend(base, offset, size);
}

/// `Class::method` for a member, the bare name otherwise.
std::string qualifiedName(const DISubprogram *program) {
  std::string name = program->getName().str();
  if (const auto *owner = dyn_cast_or_null<DICompositeType>(program->getScope()))
    if (!owner->getName().empty())
      name = owner->getName().str() + "::" + name;
  return name;
}

} // namespace

extern "C" void inspect_shim_forget() { remembered.clear(); }

extern "C" void inspect_shim_describe(LLVMValueRef instruction, LLVMValueRef pointer, uint64_t size,
                                      InspectPlace *place) {
  static std::string file, function, variable;
  file.clear();
  function.clear();
  variable.clear();
  const auto *I = cast<Instruction>(unwrap(instruction));
  place->line = place->column = 0;
  if (const DILocation *location = I->getDebugLoc().get()) {
    // Code inlined from a system header is the business of whoever called it.
    while (location->getInlinedAt() && isSystemFile(absolutePath(location->getFile())))
      location = location->getInlinedAt();
    file = absolutePath(location->getFile());
    place->line = location->getLine();
    place->column = location->getColumn();
    if (const DISubprogram *program = location->getScope()->getSubprogram())
      function = qualifiedName(program);
  } else if (const DISubprogram *program = I->getFunction()->getSubprogram()) {
    file = absolutePath(program->getFile());
    function = qualifiedName(program);
  }
  if (function.empty())
    function = I->getFunction()->getName().str();
  if (pointer)
    variable = objectAt(unwrap(pointer), I->getFunction(), {}, size, 0).object();
  if (variable == "*")
    variable.clear();
  place->file = file.c_str();
  place->function = function.c_str();
  place->variable = variable.c_str();
}
