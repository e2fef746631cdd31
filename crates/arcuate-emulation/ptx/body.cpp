#include "body.h"

#include "forms.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <unordered_map>

namespace arcuate_emulation::ptx {
namespace {

// Gap between local arrays of a thread, so that accesses beyond the end of an array are detected.
constexpr std::uint32_t local_gap = 64;
constexpr std::uint32_t most_local_bytes = 512 << 10, most_shared_bytes = 48 << 10;

struct NamedSpecial {
    const char* name;
    Special what;
};

constexpr NamedSpecial named_specials[] = {
    {"%tid.x", Special::thread_x}, {"%tid.y", Special::thread_y}, {"%tid.z", Special::thread_z},
    {"%ntid.x", Special::threads_x}, {"%ntid.y", Special::threads_y}, {"%ntid.z", Special::threads_z},
    {"%ctaid.x", Special::block_x}, {"%ctaid.y", Special::block_y}, {"%ctaid.z", Special::block_z},
    {"%nctaid.x", Special::blocks_x}, {"%nctaid.y", Special::blocks_y}, {"%nctaid.z", Special::blocks_z},
    {"%laneid", Special::lane},
};

std::uint32_t rounded_up(std::uint32_t number, std::uint32_t to) { return (number + to - 1) / to * to; }

// Returns the type with which a register must be declared.
Type register_type(Type type) { return type == Type::pred ? type : bytes_of(type) == 8 ? Type::b64 : Type::b32; }

std::string name_of(Type type) { return type == Type::pred ? ".pred" : type == Type::b64 ? ".b64" : ".b32"; }

class Body {
public:
    Body(Cursor& cursor, const std::string& text, const std::vector<Declaration>& shared, const Constants& constants,
         Program& program)
        : cursor_(cursor), text_(text), program_(program)
    {
        program_.registers.push_back(""); // row 0
        program_.more.push_back(0); // more[0] serves instructions without further operands
        for (const Declaration& declaration : shared) declare_shared(declaration);
        for (const auto& [name, address] : constants.arrays) add_symbol(name, {Space::constant, address});
        program_.constants = constants.bytes;
    }

    void run()
    {
        while (!cursor_.here().is("}")) {
            if (cursor_.at_end()) cursor_.complain("the kernel has no closing brace");
            if (cursor_.here().kind == Token::Kind::word && cursor_.here().word[0] == '.') directive();
            else if (cursor_.after().is(":")) label();
            else instruction();
        }
        // A thread that reaches the end of the body has ended.
        program_.code.push_back(blank(*find_form("ret")));
        program_.places.push_back({cursor_.here().line, "}"});
        cursor_.next();
        for (const Jump& jump : jumps_) {
            const auto found = labels_.find(jump.label);
            if (found == labels_.end()) throw Complaint(jump.line, "there is no label " + jump.label);
            program_.code[jump.from].offset = found->second;
        }
    }

private:
    struct Register {
        Type type;
        std::uint32_t row;
    };

    // Registers of a declaration such as `.reg .b32 %r<100>`. A declaration of a single register has no
    // count.
    struct Family {
        Type type;
        std::uint64_t count;
    };

    struct Symbol {
        Space space;
        std::uint32_t address;
    };

    struct Jump {
        std::size_t from;
        std::string label;
        unsigned line;
    };

    // ---- declarations

    void directive()
    {
        if (cursor_.take(".pragma")) {
            if (cursor_.next().kind != Token::Kind::text) cursor_.complain("expected what the pragma says, in quotes");
            return cursor_.expect(";");
        }
        if (!program_.code.empty()) cursor_.complain("declarations come ahead of all instructions");
        if (cursor_.take(".reg")) registers();
        else if (cursor_.take(".shared")) declare_shared(parse_array(cursor_, false));
        else if (cursor_.take(".local")) declare_local(parse_array(cursor_, false));
        else cursor_.complain(cursor_.here().word + " is not taken in a kernel");
        cursor_.expect(";");
    }

    void registers()
    {
        const std::string word = cursor_.word("the type of registers");
        if (word != ".b32" && word != ".b64" && word != ".pred") {
            cursor_.complain("registers are .b32, .b64 or .pred, not " + word);
        }
        const Type type = word == ".pred" ? Type::pred : word == ".b64" ? Type::b64 : Type::b32;
        do {
            const std::string name = cursor_.word("the name of registers");
            std::uint64_t count = 0;
            if (cursor_.take("<")) {
                count = cursor_.count("the number of registers", 1 << 20);
                cursor_.expect(">");
            }
            if (is_special(name) != nullptr || !families_.emplace(name, Family{type, count}).second) {
                cursor_.complain("registers " + name + " are there already");
            }
        } while (cursor_.take(","));
    }

    void declare_shared(const Declaration& array)
    {
        if (array.dynamic) {
            dynamic_alignment_ = std::max(dynamic_alignment_, array.alignment);
            dynamic_.push_back(array.name);
            return add_symbol(array.name, {Space::shared, 0});
        }
        program_.shared_bytes = rounded_up(program_.shared_bytes, array.alignment);
        add_symbol(array.name, {Space::shared, shared_start + program_.shared_bytes});
        program_.shared_bytes += array.bytes;
        if (program_.shared_bytes > most_shared_bytes) cursor_.complain("shared arrays have more than 48 KiB");
    }

    void declare_local(const Declaration& array)
    {
        if (!program_.local_arrays.empty()) program_.local_bytes += local_gap;
        program_.local_bytes = rounded_up(program_.local_bytes, std::max(array.alignment, 16u));
        const std::uint32_t address = local_start + program_.local_bytes;
        add_symbol(array.name, {Space::local, address});
        program_.local_arrays.push_back({address, array.bytes});
        program_.local_bytes += rounded_up(array.bytes, 16);
        if (program_.local_bytes > most_local_bytes) cursor_.complain("the arrays of a thread have more than 512 KiB");
    }

    void add_symbol(const std::string& name, Symbol symbol)
    {
        if (!symbols_.emplace(name, symbol).second) cursor_.complain(name + " is there already");
    }

    // Places dynamic arrays after all other arrays.
    void lay_out_dynamic_shared()
    {
        if (dynamic_.empty()) return;
        program_.shared_bytes = rounded_up(program_.shared_bytes, dynamic_alignment_);
        for (const std::string& name : dynamic_) symbols_[name].address = shared_start + program_.shared_bytes;
        dynamic_.clear();
    }

    // ---- operands

    static const NamedSpecial* is_special(const std::string& name)
    {
        const auto* found = std::find_if(std::begin(named_specials), std::end(named_specials),
                                         [&](const NamedSpecial& one) { return name == one.name; });
        return found == std::end(named_specials) ? nullptr : found;
    }

    std::uint32_t new_row(const std::string& name, Type type)
    {
        const auto row = static_cast<std::uint32_t>(program_.registers.size());
        program_.registers.push_back(name);
        if (type == Type::b64) program_.registers.push_back(name);
        return row;
    }

    // Returns the register with this name, or null if it is not declared. Rows are assigned only to registers
    // that are used.
    const Register* find_register(const std::string& name)
    {
        const auto known = registers_.find(name);
        if (known != registers_.end()) return &known->second;
        auto family = families_.find(name);
        if (family == families_.end() || family->second.count != 0) {
            const std::size_t digits = name.find_last_not_of("0123456789") + 1;
            const std::string number = name.substr(digits);
            family = families_.find(name.substr(0, digits));
            if (number.empty() || number.size() > 7 || (number.size() > 1 && number[0] == '0')) return nullptr;
            if (family == families_.end() || std::stoul(number) >= family->second.count) return nullptr;
        }
        const Type type = family->second.type;
        return &(registers_[name] = {type, new_row(name, type)});
    }

    std::uint32_t register_of(Type type)
    {
        const std::string name = cursor_.word("a register");
        const Register* found = find_register(name);
        if (found == nullptr) cursor_.complain(name + " is no register of this kernel");
        if (found->type != register_type(type)) {
            cursor_.complain(name + " is a register of type " + name_of(found->type) + " where one of type " +
                             name_of(register_type(type)) + " belongs");
        }
        return found->row;
    }

    // Returns the row of a number of 4 or 8 bytes.
    Operand number(std::uint64_t bits, unsigned bytes)
    {
        const auto [known, added] = numbers_.emplace(std::make_pair(bits, bytes), 0);
        if (added) {
            known->second = static_cast<Operand>(program_.numbers.size() / warp_lanes * 2 + 1);
            for (unsigned lane = 0; lane < warp_lanes; ++lane) {
                program_.numbers.push_back(static_cast<std::uint32_t>(bits));
                if (bytes == 8) program_.numbers.push_back(static_cast<std::uint32_t>(bits >> 32));
            }
        }
        return known->second;
    }

    // Reads an immediate operand. Real numbers must be given as bits, so that no rounding is necessary.
    Operand immediate(Type type)
    {
        const bool negative = cursor_.take("-");
        const Token& token = cursor_.here();
        const bool real = type == Type::f32 || type == Type::f64, bits = type == Type::b32 || type == Type::b64;
        const unsigned bytes = bytes_of(type);
        const auto kind_of_bits = bytes == 4 ? Token::Kind::bits_of_f32 : Token::Kind::bits_of_f64;
        const bool fits = token.kind == kind_of_bits ? (real || bits) && !negative : token.kind == Token::Kind::integer && !real;
        if (!fits || type == Type::pred) cursor_.complain(token.word + " is no operand of this type");
        const std::uint64_t value = cursor_.next().number;
        const std::uint64_t most = bytes == 4 ? (negative ? std::uint64_t(1) << 31 : 0xffffffffu)
                                              : (negative ? std::uint64_t(1) << 63 : ~std::uint64_t(0));
        if (value > most) cursor_.complain((negative ? "-" : "") + token.word + " has too many bits");
        return number(negative ? 0 - value : value, bytes);
    }

    Operand operand(Type type)
    {
        return cursor_.here().kind == Token::Kind::word ? 2 * register_of(type) : immediate(type);
    }

    Operand operand_of_move(Type type)
    {
        if (type != Type::f32 && type != Type::f64 && cursor_.here().kind == Token::Kind::word) {
            const std::string& word = cursor_.here().word;
            if (const NamedSpecial* special = is_special(word)) {
                if (bytes_of(type) != 4) cursor_.complain(word + " has 32 bits");
                cursor_.next();
                return 2 * row_of(*special);
            }
            const auto symbol = symbols_.find(word);
            if (symbol != symbols_.end()) {
                cursor_.next();
                return number(symbol->second.address, bytes_of(type));
            }
        }
        return operand(type);
    }

    std::uint32_t row_of(const NamedSpecial& special)
    {
        for (const SpecialRow& known : program_.specials) {
            if (known.what == special.what) return known.row;
        }
        program_.specials.push_back({special.what, new_row(special.name, Type::b32)});
        return program_.specials.back().row;
    }

    // Reads an offset such as "+ 4" or "+ -4", or nothing.
    std::int64_t offset()
    {
        if (!cursor_.take("+")) return 0;
        const bool negative = cursor_.take("-");
        const std::uint64_t value = cursor_.integer("an offset");
        if (value > std::uint64_t(1) << 31) cursor_.complain("the offset has more than 32 bits");
        return negative ? -static_cast<std::int64_t>(value) : static_cast<std::int64_t>(value);
    }

    void address(Instruction& made, const Form& form)
    {
        cursor_.expect("[");
        const auto symbol = symbols_.find(cursor_.here().word);
        if (symbol != symbols_.end()) {
            if (symbol->second.space != form.space) cursor_.complain(symbol->first + " is in another kind of memory");
            cursor_.next();
            made.a = number(symbol->second.address, 4);
        } else {
            made.a = 2 * register_of(form.operands[0]);
        }
        made.offset = offset();
        cursor_.expect("]");
    }

    void parameter_address(Instruction& made, unsigned bytes)
    {
        cursor_.expect("[");
        const std::string name = cursor_.word("the name of a parameter");
        const auto& names = program_.parameter_names;
        const auto found = std::find(names.begin(), names.end(), name);
        if (found == names.end()) cursor_.complain(name + " is no parameter of this kernel");
        const Parameter& parameter = program_.parameters[static_cast<std::size_t>(found - names.begin())];
        const std::int64_t inside = offset();
        if (inside < 0 || inside % bytes != 0 || static_cast<std::size_t>(inside) + bytes > parameter.bytes) {
            cursor_.complain(std::to_string(bytes) + " bytes at " + std::to_string(inside) + " are not within parameter " + name);
        }
        made.offset = static_cast<std::int64_t>(parameter.offset) + inside;
        cursor_.expect("]");
    }

    // Reads a vector of registers, or a single element. Elements of stores may also be numbers. Returns the
    // first element.
    Operand elements(Instruction& made, const Form& form, Type type, bool written)
    {
        const auto element = [&] { return written ? 2 * register_of(type) : operand(type); };
        if (form.count == 1) return element();
        cursor_.expect("{");
        const Operand first = element();
        made.more = static_cast<std::uint32_t>(program_.more.size());
        for (unsigned at = 1; at < form.count; ++at) {
            cursor_.expect(",");
            program_.more.push_back(element());
        }
        cursor_.expect("}");
        return first;
    }

    // ---- instructions

    void label()
    {
        const std::string name = cursor_.word("a label");
        if (!labels_.emplace(name, program_.code.size()).second) cursor_.complain("label " + name + " is there already");
        cursor_.expect(":");
    }

    static std::string hint_for(const std::string& name)
    {
        const std::size_t type = name.find('.');
        const bool rounds = type != std::string::npos && find_form(name.substr(0, type) + ".rn" + name.substr(type)) != nullptr;
        return rounds ? "; with .rn there is: the assembler may fuse those without" : "";
    }

    static Instruction blank(const Form& form)
    {
        Instruction made = {};
        made.operation = form.operation;
        made.kind = form.kind;
        return made;
    }

    void instruction()
    {
        lay_out_dynamic_shared();
        const Token first = cursor_.here();
        bool negated = false;
        std::uint32_t guard = 0;
        if (cursor_.take("@")) {
            negated = cursor_.take("!");
            guard = register_of(Type::pred);
        }
        const std::string name = cursor_.word("an instruction");
        const Form* form = find_form(name);
        if (form == nullptr) throw Complaint(first.line, "there is no instruction " + name + " here" + hint_for(name));
        Instruction made = blank(*form);
        made.guard = guard;
        made.unless = negated ? all_lanes : 0;
        operands(made, *form);
        const std::size_t end = cursor_.here().end;
        cursor_.expect(";");
        program_.code.push_back(made);
        program_.places.push_back({first.line, text_.substr(first.begin, end - first.begin)});
    }

    void operands(Instruction& made, const Form& form)
    {
        switch (form.shape) {
        case Shape::plain: case Shape::move:
            made.result = register_of(form.result);
            cursor_.expect(",");
            if (form.shape == Shape::move) made.a = operand_of_move(form.operands[0]);
            else plain_operands(made, form);
            break;
        case Shape::parameter:
            made.result = register_of(form.result);
            cursor_.expect(",");
            parameter_address(made, bytes_of(form.result));
            break;
        case Shape::load:
            made.result = elements(made, form, form.result, true) / 2;
            cursor_.expect(",");
            address(made, form);
            break;
        case Shape::store:
            address(made, form);
            cursor_.expect(",");
            made.b = elements(made, form, form.operands[1], false);
            break;
        case Shape::atomic: case Shape::reduction:
            if (form.shape == Shape::atomic) {
                made.result = register_of(form.result);
                cursor_.expect(",");
            }
            address(made, form);
            cursor_.expect(",");
            made.b = operand(form.operands[1]);
            if (form.operand_count == 3) {
                cursor_.expect(",");
                made.c = operand(form.operands[2]);
            }
            break;
        case Shape::branch:
            jumps_.push_back({program_.code.size(), cursor_.here().word, cursor_.here().line});
            cursor_.word("a label");
            break;
        case Shape::barrier:
            if (cursor_.integer("the number of a barrier") != 0) cursor_.complain("barriers other than 0 are not taken");
            break;
        case Shape::shuffle: case Shape::vote: case Shape::warp_barrier: exchange(made, form); break;
        case Shape::nothing: break;
        }
    }

    void plain_operands(Instruction& made, const Form& form)
    {
        Operand* const into[] = {&made.a, &made.b, &made.c};
        for (unsigned at = 0; at < form.operand_count; ++at) {
            if (at > 0) cursor_.expect(",");
            *into[at] = operand(form.operands[at]);
        }
    }

    void exchange(Instruction& made, const Form& form)
    {
        Operand inside = 0;
        if (form.shape != Shape::warp_barrier) {
            made.result = register_of(form.result);
            if (form.shape == Shape::shuffle && cursor_.take("|")) inside = 2 * register_of(Type::pred);
            cursor_.expect(",");
            plain_operands(made, form);
            cursor_.expect(",");
        }
        made.more = static_cast<std::uint32_t>(program_.more.size());
        program_.more.push_back(operand(Type::b32));
        program_.more.push_back(inside);
    }

    Cursor& cursor_;
    const std::string& text_;
    Program& program_;
    std::unordered_map<std::string, Family> families_;
    std::unordered_map<std::string, Register> registers_;
    std::map<std::pair<std::uint64_t, unsigned>, Operand> numbers_;
    std::unordered_map<std::string, Symbol> symbols_;
    std::vector<std::string> dynamic_;
    std::uint32_t dynamic_alignment_ = 16;
    std::unordered_map<std::string, std::size_t> labels_;
    std::vector<Jump> jumps_;
};

} // namespace

Declaration parse_array(Cursor& cursor, bool may_be_dynamic)
{
    Declaration array = {"", 1, 0, false};
    if (cursor.take(".align")) array.alignment = cursor.count("an alignment", 128);
    if ((array.alignment & (array.alignment - 1)) != 0) cursor.complain("an alignment is a power of two");
    cursor.expect(".b8");
    array.name = cursor.word("the name of an array");
    cursor.expect("[");
    array.dynamic = may_be_dynamic && cursor.here().is("]");
    if (!array.dynamic) array.bytes = cursor.count("the bytes of an array", 1 << 20);
    cursor.expect("]");
    return array;
}

void parse_body(Cursor& cursor, const std::string& text, const std::vector<Declaration>& shared, const Constants& constants,
                Program& program)
{
    Body(cursor, text, shared, constants, program).run();
}

} // namespace arcuate_emulation::ptx
