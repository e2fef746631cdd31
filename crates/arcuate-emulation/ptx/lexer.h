// PTX as words, numbers and signs.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

namespace arcuate_emulation::ptx {

// What is wrong in a line of the text.
struct Complaint : std::runtime_error {
    unsigned line;

    Complaint(unsigned line_, const std::string& why) : std::runtime_error(why), line(line_) {}
};

struct Token {
    enum class Kind : unsigned char { word, integer, bits_of_f32, bits_of_f64, text, sign, end };

    Kind kind;
    unsigned line;
    std::size_t begin, end; // in the text
    std::string word; // of a sign the one letter, of a text what is between the quotes
    std::uint64_t number;

    bool is(const char* expected) const { return (kind == Kind::word || kind == Kind::sign) && word == expected; }
};

// Ends with a token of the kind `end`. Comments and what says where in other sources the text comes from are left out.
std::vector<Token> tokens_of(const std::string& text);

} // namespace arcuate_emulation::ptx
