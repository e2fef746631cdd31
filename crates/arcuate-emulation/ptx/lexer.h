// Splits PTX into words, numbers and signs.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

namespace arcuate_emulation::ptx {

// An error in a line of the text.
struct Complaint : std::runtime_error {
    unsigned line;

    Complaint(unsigned line_, const std::string& why) : std::runtime_error(why), line(line_) {}
};

struct Token {
    enum class Kind : unsigned char { word, integer, bits_of_f32, bits_of_f64, text, sign, end };

    Kind kind;
    unsigned line;
    std::size_t begin, end; // position in the text
    std::string word; // the letter of a sign, or the text between quotes
    std::uint64_t number;

    bool is(const char* expected) const { return (kind == Kind::word || kind == Kind::sign) && word == expected; }
};

// Splits a text into tokens. The last token has the kind `end`. Comments and references to source lines are
// omitted.
std::vector<Token> tokens_of(const std::string& text);

} // namespace arcuate_emulation::ptx
