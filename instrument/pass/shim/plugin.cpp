// Registers the pass and prepares functions for it: small functions of system headers are inlined, so that their accesses
// are reported where the user wrote the call; locals whose address goes nowhere become registers; dead blocks go away.
// Functions whose calls are announced by name are called by name.
// Nothing here may add, drop, merge or move an access to memory that threads can share.
#include "shim.h"
#include "llvm/Analysis/CGSCCPassManager.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/PassManager.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Transforms/Coroutines/CoroCleanup.h"
#include "llvm/Transforms/Coroutines/CoroConditionalWrapper.h"
#include "llvm/Transforms/Coroutines/CoroEarly.h"
#include "llvm/Transforms/Coroutines/CoroSplit.h"
#include "llvm/Transforms/IPO/AlwaysInliner.h"
#include "llvm/Transforms/IPO/GlobalDCE.h"
#include "llvm/Transforms/Instrumentation/MemorySanitizer.h"
#include "llvm/Transforms/Scalar/SROA.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/Local.h"

using namespace llvm;

namespace {

/// A function of a system header, small enough to be inlined wherever it is called, and worth it: it touches memory or
/// calls something that may.
bool isSmallSystemFunction(const Function &function) {
  if (function.isDeclaration() || function.isVarArg() || function.hasFnAttribute(Attribute::OptimizeNone))
    return false;
  const DISubprogram *program = function.getSubprogram();
  if (!program || !function.hasLinkOnceLinkage() && !function.hasLocalLinkage())
    return false;
  if (!program->getFilename().starts_with("/usr/"))
    return false;
  unsigned count = 0;
  for (const Instruction &instruction : instructions(function)) {
    if (isa<InvokeInst>(instruction) || isa<LandingPadInst>(instruction) || isa<IndirectBrInst>(instruction))
      return false;
    if (const auto *call = dyn_cast<CallInst>(&instruction))
      if (call->getCalledFunction() == &function)
        return false;
    if (++count > 48)
      return false;
  }
  return true;
}

/// Calls of library functions are made as the source says, even those whose effect nobody would miss (a block that is
/// allocated and lost): the optimiser must not recognise the function. `optnone` on a declaration only keeps it from
/// adding what it knows of the name.
void keepAsWritten(Function &function) {
  if (function.isIntrinsic())
    return;
  for (Attribute::AttrKind kind : {Attribute::AllocKind, Attribute::OptimizeForSize, Attribute::MinSize})
    function.removeFnAttr(kind);
  for (Attribute::AttrKind kind : {Attribute::Memory, Attribute::NoSync, Attribute::WillReturn, Attribute::Speculatable})
    function.removeFnAttr(kind);
  function.addFnAttr(Attribute::NoInline);
  function.addFnAttr(Attribute::OptimizeNone);
}

/// Functions of other objects whose bodies are known for inlining, as those of templates that the C++ library has compiled:
/// what runs is the other object's. Calls of them are calls of a library, all of them, but for those that are inlined
/// whatever the optimiser thinks.
struct ForgetBodiesOfOthers : PassInfoMixin<ForgetBodiesOfOthers> {
  PreservedAnalyses run(Module &module, ModuleAnalysisManager &) {
    for (Function &function : module)
      if (function.hasAvailableExternallyLinkage() && !function.hasFnAttribute(Attribute::AlwaysInline))
        function.deleteBody();
    return PreservedAnalyses::none();
  }
  static bool isRequired() { return true; }
};

/// Before the analysis.
struct Prepare : PassInfoMixin<Prepare> {
  PreservedAnalyses run(Module &module, ModuleAnalysisManager &) {
    for (Function &function : module) {
      if (function.isDeclaration()) {
        keepAsWritten(function);
        continue;
      }
      // Hooks make every function reach memory and other threads, whatever its source promised.
      for (Attribute::AttrKind kind : {Attribute::Memory, Attribute::NoSync, Attribute::WillReturn, Attribute::Speculatable})
        function.removeFnAttr(kind);
      function.removeFnAttr(Attribute::OptimizeNone);
      // Keeps the preparing passes from speculating loads: a read that the program does not make is a false race.
      function.addFnAttr(Attribute::SanitizeThread);
      if (isSmallSystemFunction(function)) {
        function.removeFnAttr(Attribute::NoInline);
        function.addFnAttr(Attribute::AlwaysInline);
      }
      for (Instruction &instruction : instructions(function))
        if (auto *call = dyn_cast<CallBase>(&instruction))
          if (Function *callee = call->getCalledFunction(); callee && !callee->isIntrinsic())
            for (Attribute::AttrKind kind : {Attribute::Memory, Attribute::NoSync, Attribute::WillReturn})
              call->removeFnAttr(kind);
    }
    return PreservedAnalyses::none();
  }
  static bool isRequired() { return true; }
};

/// Joins blocks that a plain jump separates and removes those that cannot be reached.
struct Tidy : PassInfoMixin<Tidy> {
  PreservedAnalyses run(Function &function, FunctionAnalysisManager &) {
    removeUnreachableBlocks(function);
    for (BasicBlock &block : make_early_inc_range(function))
      MergeBlockIntoPredecessor(&block);
    return PreservedAnalyses::none();
  }
  static bool isRequired() { return true; }
};

/// Makes an SROA run that cannot be skipped.
struct Promote : PassInfoMixin<Promote> {
  SROAPass inner{SROAOptions::PreserveCFG};
  PreservedAnalyses run(Function &function, FunctionAnalysisManager &manager) { return inner.run(function, manager); }
  static bool isRequired() { return true; }
};

/// Coroutines are split into the functions that they are made of, whose frame is a block of memory like others: whoever
/// resumes them may be another thread. Only modules with coroutines pay for it.
CoroConditionalWrapper splitCoroutines() {
  ModulePassManager passes;
  passes.addPass(CoroEarlyPass());
  passes.addPass(createModuleToPostOrderCGSCCPassAdaptor(CoroSplitPass()));
  passes.addPass(CoroCleanupPass());
  return CoroConditionalWrapper(std::move(passes));
}

/// Code compiled for thin LTO is optimised a file at a time and never comes by here as a whole.
struct RefuseThin : PassInfoMixin<RefuseThin> {
  PreservedAnalyses run(Module &module, ModuleAnalysisManager &) {
    module.getContext().emitError(module.getName() + " is thin LTO bitcode, which cannot be instrumented: compile it with inspect-cc");
    return PreservedAnalyses::all();
  }
  static bool isRequired() { return true; }
};

/// Functions that were to call `-finstrument-functions`' hooks at their beginning and end: the compiler adds the calls as
/// it optimises, which has not happened yet, and they would be neither analysed nor, in part, made at all.
struct RefuseEntryHooks : PassInfoMixin<RefuseEntryHooks> {
  PreservedAnalyses run(Module &module, ModuleAnalysisManager &) {
    for (Function &function : module)
      for (StringRef attribute : {"instrument-function-entry", "instrument-function-exit", "instrument-function-entry-inlined",
                                  "instrument-function-exit-inlined"})
        if (function.getFnAttribute(attribute).getValueAsString().starts_with("__cyg_profile")) {
          module.getContext().emitError(function.getName() + " is compiled with -finstrument-functions, whose calls cannot be analysed");
          return PreservedAnalyses::all();
        }
    return PreservedAnalyses::all();
  }
  static bool isRequired() { return true; }
};

/// A function of the module's own that calls the given one with its arguments and returns what it returns.
Function *forward(Function &function) {
  FunctionType *type = function.getFunctionType();
  Function *caller =
      Function::Create(type, GlobalValue::InternalLinkage, function.getName() + ".through_pointer", function.getParent());
  caller->setUWTableKind(UWTableKind::Default);
  caller->addFnAttr("frame-pointer", "all");
  IRBuilder<> builder(BasicBlock::Create(function.getContext(), "", caller));
  SmallVector<Value *, 4> arguments;
  for (Argument &argument : caller->args())
    arguments.push_back(&argument);
  CallInst *call = builder.CreateCall(type, &function, arguments);
  if (type->getReturnType()->isVoidTy())
    builder.CreateRetVoid();
  else
    builder.CreateRet(call);
  return caller;
}

/// What these functions access is announced where they are called by their names: a pointer to one of them becomes a
/// pointer to a function of the module that calls it so.
void nameFunctionsBehindPointers(Module &module) {
  for (StringRef name : {"memcpy", "memmove", "mempcpy", "memset", "__memcpy_chk", "__memmove_chk", "__mempcpy_chk", "__memset_chk"}) {
    Function *function = module.getFunction(name);
    auto isPointer = [](const Use &use) {
      auto *call = dyn_cast<CallBase>(use.getUser());
      return !call || !call->isCallee(&use);
    };
    if (!function || !function->isDeclaration() || none_of(function->uses(), isPointer))
      continue;
    Function *caller = forward(*function);
    function->replaceUsesWithIf(caller, [&](Use &use) { return isPointer(use); });
  }
}

/// The analysis and the hooks, in Rust.
struct Instrument : PassInfoMixin<Instrument> {
  PreservedAnalyses run(Module &module, ModuleAnalysisManager &) {
    for (Function &function : module)
      function.removeFnAttr(Attribute::SanitizeThread);
    nameFunctionsBehindPointers(module);
    inspect_pass_run(wrap(&module));
    return PreservedAnalyses::none();
  }
  static bool isRequired() { return true; }
};

} // namespace

extern "C" void inspect_shim_register(void *pass_builder) {
  auto *builder = static_cast<PassBuilder *>(pass_builder);
  builder->registerOptimizerLastEPCallback(
      [](ModulePassManager &manager, OptimizationLevel, ThinOrFullLTOPhase phase) {
        if (phase == ThinOrFullLTOPhase::ThinLTOPostLink)
          manager.addPass(RefuseThin());
      });
  builder->registerFullLinkTimeOptimizationEarlyEPCallback([](ModulePassManager &manager, OptimizationLevel) {
        manager.addPass(RefuseEntryHooks());
        manager.addPass(ForgetBodiesOfOthers());
        // What the linker has found that nobody outside refers to, and nothing inside either, is never executed.
        manager.addPass(GlobalDCEPass());
        manager.addPass(Prepare());
        manager.addPass(splitCoroutines());
        manager.addPass(AlwaysInlinerPass(/*InsertLifetimeIntrinsics=*/false));
        bool findsUninitialised = inspect_pass_finds_uninitialised();
        FunctionPassManager functions;
        if (findsUninitialised)
          functions.addPass(PromoteWithBegins());
        else
          functions.addPass(Promote());
        functions.addPass(Tidy());
        manager.addPass(createModuleToFunctionPassAdaptor(std::move(functions)));
        manager.addPass(Instrument());
        if (findsUninitialised)
          manager.addPass(MemorySanitizerPass(MemorySanitizerOptions(/*TrackOrigins=*/2, /*Recover=*/true, /*Kernel=*/true,
                                                                     /*EagerChecks=*/true)));
      });
}
