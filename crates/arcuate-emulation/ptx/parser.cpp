#include "parser.h"

#include "body.h"

#include <algorithm>

namespace arcuate_emulation::ptx {
namespace {

constexpr std::size_t most_parameter_bytes = 4096, most_constant_bytes = 64 << 10;

class Parser {
public:
    explicit Parser(const std::string& text) : text_(text), cursor_(tokens_of(text)) {}

    std::vector<std::unique_ptr<Program>> run()
    {
        cursor_.expect(".version");
        cursor_.integer("a version");
        // The lexer splits "8.4" into a number and a word of a point and digits.
        cursor_.word("the rest of the version");
        while (!cursor_.at_end()) directive();
        return std::move(programs_);
    }

private:
    void directive()
    {
        if (cursor_.take(".target")) {
            do cursor_.word("a target");
            while (cursor_.take(","));
        } else if (cursor_.take(".address_size")) {
            if (cursor_.integer("a size of addresses") != 64) cursor_.complain("addresses have 64 bits here");
        } else if (cursor_.take(".extern")) {
            cursor_.expect(".shared");
            shared_.push_back(parse_array(cursor_, true));
            if (!shared_.back().dynamic) cursor_.complain(shared_.back().name + " has a size and is `.extern`");
            cursor_.expect(";");
        } else if (cursor_.take(".shared")) {
            shared_.push_back(parse_array(cursor_, false));
            cursor_.expect(";");
        } else if (cursor_.take(".const")) {
            constants();
        } else {
            cursor_.take(".visible");
            if (!cursor_.take(".entry")) cursor_.complain(cursor_.here().word + " is not taken here");
            entry();
        }
    }

    // Reads an array of constants with its values.
    void constants()
    {
        if (cursor_.take(".align") && cursor_.count("an alignment", 8) != 8) cursor_.complain("constants are aligned to 8 bytes here");
        const std::string type = cursor_.word("the type of constants");
        if (type != ".b32" && type != ".b64") cursor_.complain("constants are .b32 or .b64, not " + type);
        const unsigned bytes = type == ".b64" ? 8 : 4;
        const std::string name = cursor_.word("the name of constants");
        cursor_.expect("[");
        const std::uint32_t count = cursor_.count("the number of constants", most_constant_bytes / bytes);
        cursor_.expect("]");
        cursor_.expect("=");
        cursor_.expect("{");
        std::vector<unsigned char>& all = constants_.bytes;
        all.resize((all.size() + 7) / 8 * 8);
        constants_.arrays.emplace_back(name, constant_start + static_cast<std::uint32_t>(all.size()));
        for (std::uint32_t at = 0; at < count; ++at) {
            if (at > 0) cursor_.expect(",");
            const std::uint64_t value = cursor_.integer("a constant");
            if (bytes == 4 && value > 0xffffffffu) cursor_.complain("a constant has more than 32 bits");
            for (unsigned byte = 0; byte < bytes; ++byte) all.push_back(static_cast<unsigned char>(value >> 8 * byte));
        }
        cursor_.expect("}");
        cursor_.expect(";");
        if (all.size() > most_constant_bytes) cursor_.complain("constants have more than 64 KiB");
    }

    void entry()
    {
        auto program = std::make_unique<Program>();
        program->name = cursor_.word("the name of a kernel");
        for (const auto& other : programs_) {
            if (other->name == program->name) cursor_.complain("kernel " + program->name + " is there already");
        }
        if (cursor_.take("(") && !cursor_.take(")")) {
            do parameter(*program);
            while (cursor_.take(","));
            cursor_.expect(")");
        }
        while (!cursor_.take("{")) {
            if (cursor_.take(".maxntid")) {
                std::uint64_t threads = 1;
                do threads *= cursor_.count("the most threads of a block", 1024);
                while (cursor_.take(","));
                if (threads > 1024) cursor_.complain("a block has at most 1024 threads");
                program->most_threads = static_cast<unsigned>(threads);
            } else if (cursor_.take(".minnctapersm")) {
                cursor_.count("the blocks of a multiprocessor", 32);
            } else {
                cursor_.complain(cursor_.here().word + " is not taken of a kernel");
            }
        }
        parse_body(cursor_, text_, shared_, constants_, *program);
        program->kernel = {program->name.c_str(), "", written_at_run_time, program->parameters.data(),
                           program->parameters.size(), nullptr, nullptr};
        programs_.push_back(std::move(program));
    }

    void parameter(Program& program)
    {
        cursor_.expect(".param");
        const std::string type = cursor_.word("the type of a parameter");
        std::size_t bytes = 0;
        if (type == ".u32" || type == ".s32" || type == ".b32" || type == ".f32") bytes = 4;
        else if (type == ".u64" || type == ".s64" || type == ".b64" || type == ".f64") bytes = 8;
        else cursor_.complain("parameters of type " + type + " are not taken");
        const bool pointer = cursor_.take(".ptr");
        if (pointer) {
            if (type != ".u64") cursor_.complain("a pointer is of type .u64 here");
            cursor_.take(".global");
            if (cursor_.take(".align")) cursor_.count("an alignment", 256);
        }
        const std::string name = cursor_.word("the name of a parameter");
        for (const std::string& other : program.parameter_names) {
            if (other == name) cursor_.complain("parameter " + name + " is there already");
        }
        std::size_t offset = program.parameters.empty() ? 0 : program.parameters.back().offset + program.parameters.back().bytes;
        offset = (offset + bytes - 1) / bytes * bytes;
        if (offset + bytes > most_parameter_bytes) cursor_.complain("parameters have at most 4096 bytes");
        program.parameters.push_back({offset, bytes, pointer});
        program.parameter_names.push_back(name);
    }

    const std::string& text_;
    Cursor cursor_;
    std::vector<Declaration> shared_;
    Constants constants_;
    std::vector<std::unique_ptr<Program>> programs_;
};

} // namespace

Parsed parse(const std::string& text)
{
    try {
        return {Parser(text).run(), ""};
    } catch (const Complaint& complaint) {
        std::size_t begin = 0;
        for (unsigned line = 1; line < complaint.line; ++line) begin = text.find('\n', begin) + 1;
        begin = std::min(text.find_first_not_of(" \t", begin), text.size());
        const std::string source = text.substr(begin, text.find('\n', begin) - begin);
        return {{}, "ptxas application ptx input, line " + std::to_string(complaint.line) + "; error : " + complaint.what() +
                        ", in `" + source + "`"};
    }
}

std::vector<std::string> entries_of(const std::string& text)
{
    const std::string word = ".entry ";
    std::vector<std::string> names;
    for (std::size_t at = text.find(word); at != std::string::npos; at = text.find(word, at)) {
        at += word.size();
        names.push_back(text.substr(at, text.find_first_of("( \t\r\n{", at) - at));
    }
    return names;
}

} // namespace arcuate_emulation::ptx
