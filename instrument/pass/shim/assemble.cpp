// Compiles one piece of inline assembly alone, so that its machine code can be decoded: which memory it touches, how
// many bytes, and in which direction, is what its instructions say, whatever the types of its operands.
#include "shim.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/DiagnosticHandler.h"
#include "llvm/IR/DiagnosticInfo.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Module.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/Target/TargetOptions.h"
#include <memory>
#include <string>

using namespace llvm;

namespace {

/// Keeps errors about the assembly from the user: whoever compiles the program itself reports them.
struct Silent : DiagnosticHandler {
  bool *failed;
  explicit Silent(bool *failed) : failed(failed) {}
  bool handleDiagnostics(const DiagnosticInfo &info) override {
    *failed |= info.getSeverity() == DS_Error;
    return true;
  }
};

bool namesGlobal(const Constant *constant) {
  if (isa<GlobalValue>(constant))
    return true;
  for (const Use &operand : constant->operands())
    if (const auto *inner = dyn_cast<Constant>(operand.get()); inner && namesGlobal(inner))
      return true;
  return false;
}

/// The address that stands for what a memory operand or a pointer in a register leads to.
uint64_t standsFor(unsigned argument) { return INSPECT_OPERAND_SPACING * (uint64_t(argument) + 1); }

/// Whether an operand with these alternatives is in a register.
bool isRegister(const InlineAsm::ConstraintCodeVector &codes) {
  for (const std::string &code : codes)
    if (code.empty() || !(code[0] == '{' || isDigit(code[0]) || (code.size() == 1 && StringRef("rqQRabcdSDl").contains(code[0]))))
      return false;
  return !codes.empty();
}

/// Instructions that store each pointer in a register to the address that stands for what it leads to: which register
/// that is, shows in their code.
std::string registers(const CallBase &call, const InlineAsm &assembly) {
  std::string text;
  if (assembly.getDialect() != InlineAsm::AD_ATT)
    return text;
  unsigned operand = 0, argument = 0;
  for (const InlineAsm::ConstraintInfo &constraint : assembly.ParseConstraints()) {
    if (constraint.Type == InlineAsm::isClobber || constraint.Type == InlineAsm::isLabel)
      continue;
    bool given = constraint.Type == InlineAsm::isInput || constraint.isIndirect;
    if (given && !constraint.isIndirect && isRegister(constraint.Codes)) {
      const Value *value = call.getArgOperand(argument);
      if (value->getType()->isPointerTy() && !isa<Constant>(value))
        text += "movq $" + std::to_string(operand) + ", " + std::to_string(standsFor(argument)) + "\n\t";
    }
    argument += given;
    ++operand;
  }
  return text;
}

/// A function that consists of the assembly, between labels; null if that cannot be made.
Function *isolate(const CallBase &call, const InlineAsm &assembly, Module &module) {
  LLVMContext &context = module.getContext();
  SmallVector<Type *, 8> parameters;
  for (const Use &argument : call.args()) {
    const auto *constant = dyn_cast<Constant>(argument.get());
    bool indirect = call.getParamElementType(call.getArgOperandNo(&argument));
    if (constant && !indirect && namesGlobal(constant) && !isa<GlobalValue>(constant))
      return nullptr;
    if (!constant && !indirect)
      parameters.push_back(argument->getType());
  }
  auto *type = FunctionType::get(Type::getVoidTy(context), parameters, false);
  auto *function = Function::Create(type, GlobalValue::ExternalLinkage, "inspect_assembly", module);
  for (const char *name : {"target-cpu", "target-features", "tune-cpu"})
    if (Attribute attribute = call.getFunction()->getFnAttribute(name); attribute.isValid())
      function->addFnAttr(attribute);
  // No operand is in the register that leads to the stack.
  function->addFnAttr("frame-pointer", "all");
  IRBuilder<> builder(BasicBlock::Create(context, "", function));
  SmallVector<Value *, 8> arguments;
  unsigned next = 0;
  for (const Use &argument : call.args()) {
    unsigned number = call.getArgOperandNo(&argument);
    auto *constant = dyn_cast<Constant>(argument.get());
    if (call.getParamElementType(number)) {
      auto *address = ConstantInt::get(Type::getInt64Ty(context), standsFor(number));
      arguments.push_back(ConstantExpr::getIntToPtr(address, argument->getType()));
    } else if (constant && isa<GlobalValue>(constant)) {
      arguments.push_back(module.getOrInsertGlobal(constant->getName(), Type::getInt8Ty(context)));
    } else {
      arguments.push_back(constant ? static_cast<Value *>(constant) : function->getArg(next++));
    }
  }
  std::string text = "inspect_operands:\n\t" + registers(call, assembly) + "inspect_begin:\n\t" +
                     assembly.getAsmString().str() + "\ninspect_end:\n\t";
  auto *marked = InlineAsm::get(assembly.getFunctionType(), text, assembly.getConstraintString(), true,
                                assembly.isAlignStack(), assembly.getDialect());
  builder.CreateCall(marked, arguments)->setAttributes(call.getAttributes());
  builder.CreateRetVoid();
  return function;
}

} // namespace

extern "C" bool inspect_shim_assemble(LLVMValueRef value, InspectBytesCallback each, void *receiver) {
  const auto *call = dyn_cast<CallInst>(unwrap(value));
  const auto *assembly = call ? dyn_cast<InlineAsm>(call->getCalledOperand()) : nullptr;
  if (!assembly)
    return false;
  LLVMContext &context = call->getContext();
  const Module &program = *call->getModule();
  Module module("assembly", context);
  module.setTargetTriple(program.getTargetTriple());
  module.setDataLayout(program.getDataLayout());
  Function *function = isolate(*call, *assembly, module);
  if (!function)
    return false;
  std::string error;
  const Target *target = TargetRegistry::lookupTarget(module.getTargetTriple(), error);
  if (!target)
    return false;
  std::unique_ptr<TargetMachine> machine(target->createTargetMachine(
      module.getTargetTriple(), function->getFnAttribute("target-cpu").getValueAsString(),
      function->getFnAttribute("target-features").getValueAsString(), TargetOptions(), Reloc::PIC_));
  SmallVector<char, 0> bytes;
  raw_svector_ostream stream(bytes);
  legacy::PassManager passes;
  if (!machine || machine->addPassesToEmitFile(passes, stream, nullptr, CodeGenFileType::ObjectFile))
    return false;
  bool failed = false;
  std::unique_ptr<DiagnosticHandler> before = context.getDiagnosticHandler();
  context.setDiagnosticHandler(std::make_unique<Silent>(&failed));
  passes.run(module);
  context.setDiagnosticHandler(std::move(before), true);
  if (!failed)
    each(receiver, reinterpret_cast<const uint8_t *>(bytes.data()), bytes.size());
  return !failed;
}
