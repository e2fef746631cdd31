#include "lexer.h"

#include <cctype>
#include <cerrno>
#include <cstdlib>

namespace arcuate_emulation::ptx {
namespace {

bool begins_word(char letter)
{
    return std::isalpha(static_cast<unsigned char>(letter)) != 0 || letter == '_' || letter == '$' || letter == '%' || letter == '.';
}

bool goes_on(char letter) { return begins_word(letter) || std::isdigit(static_cast<unsigned char>(letter)) != 0; }

class Lexer {
public:
    explicit Lexer(const std::string& text) : text_(text) {}

    std::vector<Token> run()
    {
        for (;;) {
            leave_out_blanks();
            if (at_ == text_.size()) break;
            const std::size_t begin = at_;
            const char letter = text_[at_];
            if (begins_word(letter)) word(begin);
            else if (std::isdigit(static_cast<unsigned char>(letter)) != 0) number(begin);
            else if (letter == '"') quoted(begin);
            else if (std::string("{}[]()<>,;:@!+-|=").find(letter) != std::string::npos) {
                ++at_;
                add(Token::Kind::sign, begin, std::string(1, letter));
            } else {
                throw Complaint(line_, std::string("there is no such sign in PTX: ") + letter);
            }
        }
        add(Token::Kind::end, at_, "the end of the text");
        return std::move(tokens_);
    }

private:
    void add(Token::Kind kind, std::size_t begin, const std::string& word, std::uint64_t number = 0)
    {
        tokens_.push_back({kind, line_, begin, at_, word, number});
    }

    void leave_out_line()
    {
        while (at_ < text_.size() && text_[at_] != '\n') ++at_;
    }

    void leave_out_blanks()
    {
        while (at_ < text_.size()) {
            if (text_[at_] == '\n') ++line_, ++at_;
            else if (std::isspace(static_cast<unsigned char>(text_[at_])) != 0) ++at_;
            else if (text_.compare(at_, 2, "//") == 0) leave_out_line();
            else if (text_.compare(at_, 2, "/*") == 0) leave_out_comment();
            else return;
        }
    }

    void leave_out_comment()
    {
        const std::size_t end = text_.find("*/", at_ + 2);
        if (end == std::string::npos) throw Complaint(line_, "the comment that begins here has no end");
        for (; at_ < end + 2; ++at_) line_ += text_[at_] == '\n';
    }

    void word(std::size_t begin)
    {
        while (at_ < text_.size() && goes_on(text_[at_])) ++at_;
        const std::string word = text_.substr(begin, at_ - begin);
        if (word == ".loc" || word == ".file") leave_out_line();
        else add(Token::Kind::word, begin, word);
    }

    void quoted(std::size_t begin)
    {
        const std::size_t end = text_.find_first_of("\"\n", begin + 1);
        if (end == std::string::npos || text_[end] == '\n') throw Complaint(line_, "the text that begins here has no end");
        at_ = end + 1;
        add(Token::Kind::text, begin, text_.substr(begin + 1, end - begin - 1));
    }

    // Reads 12, 0x1f, or the bits of a real number: 0f with 8 or 0d with 16 hexadecimal digits.
    void number(std::size_t begin)
    {
        while (at_ < text_.size() && goes_on(text_[at_]) && text_[at_] != '.') ++at_;
        const std::string word = text_.substr(begin, at_ - begin);
        const char second = word.size() > 1 ? static_cast<char>(std::tolower(word[1])) : '0';
        const bool of_f32 = word[0] == '0' && second == 'f', of_f64 = word[0] == '0' && second == 'd';
        const bool hexadecimal = of_f32 || of_f64 || (word[0] == '0' && second == 'x');
        const std::string digits = hexadecimal ? word.substr(2) : word;
        const bool whole = digits.find_first_not_of(hexadecimal ? "0123456789abcdefABCDEF" : "0123456789") == std::string::npos;
        // A leading zero would make the number octal.
        const bool octal = !hexadecimal && digits.size() > 1 && digits[0] == '0';
        const std::size_t bits_digits = of_f32 ? 8 : of_f64 ? 16 : digits.size();
        errno = 0;
        const std::uint64_t number = std::strtoull(digits.c_str(), nullptr, hexadecimal ? 16 : 10);
        if (digits.empty() || !whole || octal || digits.size() != bits_digits || errno != 0) {
            throw Complaint(line_, word + " is no number that is taken here: 12, 0x1f, 0f and 8 digits, 0d and 16 digits");
        }
        add(of_f32 ? Token::Kind::bits_of_f32 : of_f64 ? Token::Kind::bits_of_f64 : Token::Kind::integer, begin, word, number);
    }

    const std::string& text_;
    std::size_t at_ = 0;
    unsigned line_ = 1;
    std::vector<Token> tokens_;
};

} // namespace

std::vector<Token> tokens_of(const std::string& text) { return Lexer(text).run(); }

} // namespace arcuate_emulation::ptx
