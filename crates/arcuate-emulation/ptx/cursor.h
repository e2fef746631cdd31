// A cursor that reads tokens one after another.
#pragma once

#include "lexer.h"

#include <algorithm>
#include <string>

namespace arcuate_emulation::ptx {

class Cursor {
public:
    explicit Cursor(std::vector<Token> tokens) : tokens_(std::move(tokens)) {}

    const Token& here() const { return tokens_[at_]; }
    const Token& after() const { return tokens_[std::min(at_ + 1, tokens_.size() - 1)]; }
    bool at_end() const { return here().kind == Token::Kind::end; }

    const Token& next()
    {
        const Token& token = tokens_[at_];
        if (!at_end()) ++at_;
        return token;
    }

    // Advances if the current token is `expected`.
    bool take(const char* expected)
    {
        const bool found = here().is(expected);
        if (found) next();
        return found;
    }

    void expect(const char* expected)
    {
        if (!take(expected)) complain(std::string("expected ") + expected + " and found " + here().word);
    }

    std::string word(const char* what)
    {
        if (here().kind != Token::Kind::word) complain(std::string("expected ") + what + " and found " + here().word);
        return next().word;
    }

    std::uint64_t integer(const char* what)
    {
        if (here().kind != Token::Kind::integer) complain(std::string("expected ") + what + " and found " + here().word);
        return next().number;
    }

    // Reads a number from 1 to `most`.
    std::uint32_t count(const char* what, std::uint64_t most)
    {
        const std::uint64_t number = integer(what);
        if (number == 0 || number > most) {
            complain(std::to_string(number) + ", " + what + ", is not from 1 to " + std::to_string(most));
        }
        return static_cast<std::uint32_t>(number);
    }

    [[noreturn]] void complain(const std::string& why) const { throw Complaint(here().line, why); }

private:
    std::vector<Token> tokens_;
    std::size_t at_ = 0;
};

} // namespace arcuate_emulation::ptx
