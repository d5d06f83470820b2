// inspect-llvm: clang's compiler, lld and Inspect's pass in one program.
//
//   inspect-llvm COMPILER ARGUMENT...   compiles as COMPILER, a clang or clang++, would: to objects only
//   inspect-llvm LINKER ARGUMENT...     links as LINKER, an ld.lld, would, with the pass
//
// The programs of the distribution load LLVM as a shared library, whose addresses are set anew in each process: that takes
// longer than to compile a small program. This one is linked statically, at fixed addresses. It has the code of the same
// LLVM for x86-64 alone. What it does not do is left to the distribution's programs by whoever calls it
// (instrument/driver).
#include "clang/Basic/Diagnostic.h"
#include "clang/Basic/DiagnosticOptions.h"
#include "clang/CodeGen/CodeGenAction.h"
#include "clang/Driver/Compilation.h"
#include "clang/Driver/Driver.h"
#include "clang/Frontend/CompilerInstance.h"
#include "clang/Frontend/CompilerInvocation.h"
#include "clang/Frontend/TextDiagnosticBuffer.h"
#include "clang/Frontend/TextDiagnosticPrinter.h"
#include "clang/Frontend/Utils.h"
#include "lld/Common/Driver.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Plugins/PassPlugin.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/StringSaver.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Support/VirtualFileSystem.h"
#include "llvm/TargetParser/Host.h"
#include <unistd.h>

using namespace clang;
using llvm::ArrayRef;
using llvm::SmallVectorImpl;
using llvm::StringRef;

LLD_HAS_DRIVER(elf)

extern "C" llvm::PassPluginLibraryInfo llvmGetPassPluginInfo();

/// LLVM asks for the pass by this name wherever it makes a pipeline of passes: it is that of the optimiser that the
/// distribution has linked into its own programs. Inspect's pass, which is linked into this one, takes part in links only.
llvm::PassPluginLibraryInfo getPollyPluginInfo() { return llvmGetPassPluginInfo(); }

/// What is compiled to, if it is an object or what stands for one in a link of the whole program.
static std::unique_ptr<FrontendAction> actionFor(frontend::ActionKind kind) {
  switch (kind) {
  case frontend::EmitObj:
    return std::make_unique<EmitObjAction>();
  case frontend::EmitBC:
    return std::make_unique<EmitBCAction>();
  default:
    return nullptr;
  }
}

/// Options of LLVM that the driver passes on.
static void parseLlvmOptions(const std::vector<std::string> &options) {
  llvm::SmallVector<const char *, 8> words{"clang (LLVM option parsing)"};
  for (const std::string &option : options)
    words.push_back(option.c_str());
  llvm::cl::ParseCommandLineOptions(words.size(), words.data());
}

/// The compiler proper, which the driver calls with its arguments: the name, -cc1, and flags.
static int compile(SmallVectorImpl<const char *> &words) {
  auto invocation = std::make_shared<CompilerInvocation>();
  DiagnosticOptions early;
  auto *kept = new TextDiagnosticBuffer;
  DiagnosticsEngine diagnostics(DiagnosticIDs::create(), early, kept);
  ArrayRef<const char *> flags = ArrayRef<const char *>(words).slice(2);
  bool understood = CompilerInvocation::CreateFromArgs(*invocation, flags, diagnostics, words[0]);
  CompilerInstance compiler(invocation);
  compiler.createVirtualFileSystem(llvm::vfs::getRealFileSystem());
  compiler.createDiagnostics();
  if (!compiler.hasDiagnostics())
    return 1;
  kept->FlushDiagnostics(compiler.getDiagnostics());
  parseLlvmOptions(compiler.getFrontendOpts().LLVMArgs);
  std::unique_ptr<FrontendAction> action = actionFor(compiler.getFrontendOpts().ProgramAction);
  if (!understood || !action)
    return 1;
  return !compiler.ExecuteAction(*action);
}

/// As the driver of the distribution's compiler: plans what to do, and does it in this process.
static int drive(SmallVectorImpl<const char *> &words) {
  auto options = CreateAndPopulateDiagOpts(words);
  auto *printer = new TextDiagnosticPrinter(llvm::errs(), *options);
  printer->setPrefix(std::string(llvm::sys::path::filename(words[0])));
  DiagnosticsEngine diagnostics(DiagnosticIDs::create(), *options, printer);
  ProcessWarningOptions(diagnostics, *options, *llvm::vfs::getRealFileSystem(), /*ReportDiags=*/false);
  // By the place of the compiler itself, which its names lead to, the driver finds its headers.
  llvm::SmallString<128> place;
  if (llvm::sys::fs::real_path(words[0], place))
    place = words[0];
  driver::Driver driver(place, llvm::sys::getDefaultTargetTriple(), diagnostics);
  driver.setTargetAndMode(driver::ToolChain::getTargetAndModeFromProgramName(words[0]));
  auto compiler = [](SmallVectorImpl<const char *> &flags) { return compile(flags); };
  driver.CC1Main = compiler;
  std::unique_ptr<driver::Compilation> compilation(driver.BuildCompilation(words));
  if (!compilation || compilation->containsError())
    return 1;
  llvm::SmallVector<std::pair<int, const driver::Command *>, 1> failed;
  int status = driver.ExecuteCompilation(*compilation, failed);
  return failed.empty() || status ? status : failed.front().first;
}

int main(int count, const char **arguments) {
  llvm::InitLLVM here(count, arguments);
  llvm::SmallVector<const char *, 256> words(arguments + 1, arguments + count);
  if (words.empty()) {
    llvm::errs() << "inspect-llvm: which compiler or linker to be, and its arguments\n";
    return 2;
  }
  if (llvm::sys::path::filename(words[0]).starts_with("ld")) {
    const lld::DriverDef drivers[] = {{lld::Gnu, &lld::elf::link}};
    lld::Result linked = lld::lldMain(words, llvm::outs(), llvm::errs(), drivers);
    llvm::outs().flush();
    // What it has allocated need not be freed piece by piece.
    _exit(linked.retCode);
  }
  llvm::InitializeAllTargets();
  llvm::InitializeAllTargetMCs();
  llvm::InitializeAllAsmPrinters();
  llvm::InitializeAllAsmParsers();
  llvm::BumpPtrAllocator memory;
  llvm::StringSaver saver(memory);
  llvm::cl::ExpandResponseFiles(saver, llvm::cl::TokenizeGNUCommandLine, words);
  return drive(words);
}
