#include "ptx/lexer.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace heddle::ptx {
namespace {

std::vector<Token> tokens_of(std::string_view text) {
  std::vector<Token> tokens;
  for (Lexer lexer(text);;) {
    tokens.push_back(lexer.next());
    if (tokens.back().kind == TokenKind::end) return tokens;
  }
}

std::string texts_of(std::string_view text) {
  std::string result;
  for (const Token& token : tokens_of(text)) result += std::string(token.text) + "|";
  return result;
}

TEST(PtxLexer, AMnemonicIsAWordAndItsModifiers) { EXPECT_EQ(texts_of("ld.global.v4.f32"), "ld|global|v4|f32||"); }

TEST(PtxLexer, ModifiersWithDoubleColonsStayWhole) {
  EXPECT_EQ(texts_of("ld.shared::cta.L2::128B x"), "ld|shared::cta|L2::128B|x||");
  EXPECT_EQ(texts_of(".mbarrier::complete_tx::bytes"), "mbarrier::complete_tx::bytes||");
}

TEST(PtxLexer, ModifiersMayBeginWithADigit) { EXPECT_EQ(texts_of("tex.1d.4x.32x32b"), "tex|1d|4x|32x32b||"); }

TEST(PtxLexer, ALabelsColonIsNoPartOfAName) { EXPECT_EQ(texts_of("$L__BB0_2: ret;"), "$L__BB0_2|:|ret|;||"); }

TEST(PtxLexer, CommentsAndDwarfLinesVanish) {
  EXPECT_EQ(texts_of("a // b\n/* c\nd */ e\n@@DWARF .byte 1, 2 ' #\nf"), "a|e|f||");
}

TEST(PtxLexer, PlacesCountLinesAndBytesFromOne) {
  const auto tokens = tokens_of("a  b\r\n\n /* \n */\tc");
  EXPECT_EQ(tokens[0].place, (SourcePlace{1, 1}));
  EXPECT_EQ(tokens[1].place, (SourcePlace{1, 4}));
  EXPECT_EQ(tokens[2].place, (SourcePlace{4, 5}));
}

TEST(PtxLexer, NumbersHaveTheirKind) {
  const auto kind = [](std::string_view text) { return tokens_of(text).front().kind; };
  for (const auto* text : {"0", "42", "42U", "0x1fU", "0X1F", "017", "0b101", "0B1U"})
    EXPECT_EQ(kind(text), TokenKind::integer) << text;
  for (const auto* text : {"1.5", "1.", "1e5", "1.5e-3", "0.0", "1.E+4"})
    EXPECT_EQ(kind(text), TokenKind::real) << text;
  EXPECT_EQ(kind("0f3F800000"), TokenKind::real32);
  EXPECT_EQ(kind("0D3ff0000000000000"), TokenKind::real64);
}

TEST(PtxLexer, MalformedNumbersAreInvalidTokens) {
  for (const auto* text : {"0f3F8", "0f3F80000g", "0d3ff", "0x", "0b2", "12abc", "1e", "1e+", "0x12g"}) {
    EXPECT_EQ(tokens_of(text).front().kind, TokenKind::invalid) << text;
  }
}

TEST(PtxLexer, APercentSignAloneIsAnOperator) {
  EXPECT_EQ(tokens_of("7 % 4")[1].kind, TokenKind::percent);
  EXPECT_EQ(tokens_of("%r4")[0].kind, TokenKind::identifier);
}

TEST(PtxLexer, AStringKeepsItsEscapes) { EXPECT_EQ(texts_of(R"("a\"b" c)"), R"(a\"b|c||)"); }

TEST(PtxLexer, WhatDoesNotEndIsInvalidAtItsBeginning) {
  const auto comment = tokens_of("a\n  /* b\n");
  EXPECT_EQ(comment[1].kind, TokenKind::invalid);
  EXPECT_EQ(comment[1].place, (SourcePlace{2, 3}));
  EXPECT_EQ(tokens_of("\"abc\nd\"")[0].kind, TokenKind::invalid);
}

TEST(PtxLexer, ARunOfForeignBytesIsOneInvalidToken) {
  const auto tokens = tokens_of("a \x80\x81\xff\x01 b");
  ASSERT_EQ(tokens.size(), 4u);
  EXPECT_EQ(tokens[1].kind, TokenKind::invalid);
}

}  // namespace
}  // namespace heddle::ptx
