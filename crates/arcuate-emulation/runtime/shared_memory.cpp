// Static shared arrays are thread-local variables (see keywords.h). The symbol table of this library shows
// which kernel declares which array. `_ZZ9my_kernelE4tile` is `tile` of `my_kernel`. `_ZZN<space>6helper...`
// belongs to a device function of the file that build.rs put into the namespace <space>.

#include "shared_memory.h"

#include "threads.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <elf.h>
#include <link.h>
#include <map>
#include <string>
#include <vector>

namespace arcuate_emulation {
namespace {

struct Variable {
    std::size_t offset, bytes;
};

struct Variables {
    std::vector<Variable> own, of_helpers;
};

std::vector<unsigned char> own_file()
{
    Dl_info library;
    std::vector<unsigned char> content;
    if (dladdr(reinterpret_cast<const void*>(&static_shared_bytes), &library) == 0) return content;
    std::FILE* file = std::fopen(library.dli_fname, "rb");
    if (file == nullptr) return content;
    unsigned char part[1 << 16];
    while (const std::size_t bytes = std::fread(part, 1, sizeof part, file)) content.insert(content.end(), part, part + bytes);
    std::fclose(file);
    return content;
}

std::vector<std::pair<std::string, Variable>> thread_local_symbols()
{
    const std::vector<unsigned char> file = own_file();
    std::vector<std::pair<std::string, Variable>> symbols;
    ElfW(Ehdr) header;
    if (file.size() < sizeof header) return symbols;
    std::memcpy(&header, file.data(), sizeof header);
    std::vector<ElfW(Shdr)> sections(header.e_shnum);
    std::memcpy(sections.data(), file.data() + header.e_shoff, sections.size() * sizeof(ElfW(Shdr)));
    for (const ElfW(Shdr) & section : sections) {
        if (section.sh_type != SHT_SYMTAB) continue;
        const char* names = reinterpret_cast<const char*>(file.data() + sections[section.sh_link].sh_offset);
        for (std::size_t at = 0; at < section.sh_size / sizeof(ElfW(Sym)); ++at) {
            ElfW(Sym) symbol;
            std::memcpy(&symbol, file.data() + section.sh_offset + at * sizeof symbol, sizeof symbol);
            if (ELF64_ST_TYPE(symbol.st_info) != STT_TLS || symbol.st_size == 0) continue;
            symbols.push_back({names + symbol.st_name, {symbol.st_value, symbol.st_size}});
        }
    }
    return symbols;
}

bool starts_with(const std::string& text, const std::string& start) { return text.compare(0, start.size(), start) == 0; }

const Variables& variables_of(const Kernel* kernel)
{
    static const auto symbols = thread_local_symbols();
    static thread_local std::map<const Kernel*, Variables> known;
    auto found = known.find(kernel);
    if (found != known.end()) return found->second;
    Variables variables;
    const std::string name = kernel->name, space = kernel->space;
    const std::string own = "_ZZ" + std::to_string(name.size()) + name + "E";
    const std::string of_space = "N" + std::to_string(space.size()) + space;
    for (const auto& [symbol, variable] : symbols) {
        if (starts_with(symbol, own)) variables.own.push_back(variable);
        else if (symbol.find(of_space) != std::string::npos) variables.of_helpers.push_back(variable);
    }
    return known.emplace(kernel, std::move(variables)).first->second;
}

// Returns the start of the calling thread's thread-local variables of this library.
unsigned char* thread_local_start()
{
    static thread_local unsigned char* start = nullptr;
    if (start != nullptr) return start;
    running = nullptr; // The first access allocates the thread-local variables.
    dl_iterate_phdr(
        [](dl_phdr_info* info, std::size_t, void* found) {
            const auto own = reinterpret_cast<ElfW(Addr)>(&static_shared_bytes);
            for (int at = 0; at < info->dlpi_phnum; ++at) {
                const ElfW(Phdr)& part = info->dlpi_phdr[at];
                const ElfW(Addr) begin = info->dlpi_addr + part.p_vaddr;
                if (part.p_type == PT_LOAD && own >= begin && own < begin + part.p_memsz) {
                    *static_cast<unsigned char**>(found) = static_cast<unsigned char*>(info->dlpi_tls_data);
                    return 1;
                }
            }
            return 0;
        },
        &start);
    if (start == nullptr) {
        std::fputs("arcuate-emulation: the C library does not report the addresses of thread-local variables\n", stderr);
        std::abort();
    }
    return start;
}

} // namespace

std::size_t static_shared_bytes(const Kernel* kernel)
{
    std::size_t bytes = 0;
    for (const Variable& variable : variables_of(kernel).own) bytes += variable.bytes;
    return bytes;
}

void fill_static_shared(const Kernel* kernel)
{
    const Variables& variables = variables_of(kernel);
    if (variables.own.empty() && variables.of_helpers.empty()) return;
    unsigned char* start = thread_local_start();
    for (const auto* list : {&variables.own, &variables.of_helpers}) {
        for (const Variable& variable : *list) std::memset(start + variable.offset, garbage, variable.bytes);
    }
}

} // namespace arcuate_emulation
