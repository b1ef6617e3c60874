// SPDX-License-Identifier: MIT
//
// What each conversion allows. Everything else about a specification is the same for all.
//
//   conversion    flags     precision
//   a A e E f g G "-+ #0"   yes
//   d i           "-+ 0"    yes
//   u             "-0"      yes         (not in the manual, and yet there)
//   o x X         "-#0"     yes
//   s             "-"       yes
//   c p           "-"       no
//   q             none      no          (with its own message)
//
// Width and precision have two digits at most. The characters that may stand in a specification are
// taken first, in any order, and judged after that, so that the message can show all of them.
#include "text/format_spec.h"

#include "text/char_class.h"
#include "text/concat.h"

namespace neap::vm {
namespace {

constexpr std::string_view kModifiers = "-+ #0123456789.";
// Modifiers and conversion together, without '%', may have one character less.
constexpr size_t kMaxSpecLength = 22;
constexpr int kMaxDigits = 2;

struct Rule {
  std::string_view flags;
  bool precision;
};

// Null: there is no such conversion.
const Rule* RuleOf(char conversion) {
  static constexpr Rule kFloat{"-+ #0", true};
  static constexpr Rule kSigned{"-+ 0", true};
  static constexpr Rule kDecimal{"-0", true};
  static constexpr Rule kUnsigned{"-#0", true};
  static constexpr Rule kString{"-", true};
  static constexpr Rule kPlain{"-", false};
  static constexpr Rule kQuoted{"", false};
  switch (conversion) {
    case 'a':
    case 'A':
    case 'e':
    case 'E':
    case 'f':
    case 'g':
    case 'G':
      return &kFloat;
    case 'd':
    case 'i':
      return &kSigned;
    case 'u':
      return &kDecimal;
    case 'o':
    case 'x':
    case 'X':
      return &kUnsigned;
    case 's':
      return &kString;
    case 'c':
    case 'p':
      return &kPlain;
    case 'q':
      return &kQuoted;
    default:
      return nullptr;
  }
}

void SetFlag(char flag, FormatSpec* spec) {
  spec->left |= flag == '-';
  spec->plus |= flag == '+';
  spec->blank |= flag == ' ';
  spec->alternate |= flag == '#';
  spec->zero |= flag == '0';
}

int TakeNumber(std::string_view* text) {
  int value = 0;
  for (int i = 0; i < kMaxDigits && IsDigit(text->front()); ++i) {
    value = value * 10 + (text->front() - '0');
    text->remove_prefix(1);
  }
  return value;
}

// `text` is the modifiers and the conversion, which stops every loop.
void ReadModifiers(std::string_view text, const Rule& rule, FormatSpec* spec) {
  while (rule.flags.find(text.front()) != std::string_view::npos) {
    SetFlag(text.front(), spec);
    text.remove_prefix(1);
  }
  if (text.front() == '0') return;  // neither a flag here nor the start of a width
  spec->width = TakeNumber(&text);
  if (text.front() == '.' && rule.precision) {
    text.remove_prefix(1);
    spec->precision = TakeNumber(&text);
  }
  spec->well_formed = text.size() == 1;
}

}  // namespace

bool FormatScanner::NextDirective(std::string* out) {
  while (true) {
    const size_t percent = rest_.find('%');
    out->append(rest_.substr(0, percent));
    if (percent == std::string_view::npos) {
      rest_ = {};
      return false;
    }
    rest_.remove_prefix(percent);
    if (rest_.size() < 2 || rest_[1] != '%') return true;
    out->push_back('%');
    rest_.remove_prefix(2);
  }
}

TextStatus FormatScanner::TakeSpec(FormatSpec* spec) {
  *spec = FormatSpec{};
  size_t end = 1;
  while (end < rest_.size() && kModifiers.find(rest_[end]) != std::string_view::npos) ++end;
  if (end >= kMaxSpecLength) return TextStatus::Error("invalid format (too long)");
  spec->text = rest_.substr(0, end + 1);
  spec->conversion = end < rest_.size() ? rest_[end] : '\0';
  const Rule* rule = RuleOf(spec->conversion);
  if (rule == nullptr) {
    // The words end at a zero byte, as they do in C.
    const std::string_view shown = spec->text.substr(0, spec->text.find('\0'));
    return TextStatus::Error(Concat("invalid conversion '", shown, "' to 'format'"));
  }
  rest_.remove_prefix(spec->text.size());
  ReadModifiers(spec->text.substr(1), *rule, spec);
  if (spec->conversion == 'q' && spec->text.size() > 2) {
    return TextStatus::Error("specifier '%q' cannot have modifiers");
  }
  return {};
}

TextStatus CheckModifiers(const FormatSpec& spec) {
  if (spec.well_formed) return {};
  return TextStatus::Error(Concat("invalid conversion specification: '", spec.text, "'"));
}

}  // namespace neap::vm
