// Expressions, conditions, tables and differences.
#include "results/query.h"
#include "results/difference.h"
#include "results/filter.h"
#include "results/table.h"
#include "sample_run.h"

namespace heddle::results {
namespace {

std::optional<double> evaluate(const char* text) {
  return Expression(text).value([](const std::string& name) -> std::optional<double> {
    if (name == "a.b") return 6;
    if (name == "zero") return 0;
    return std::nullopt;
  });
}

TEST(Expression, computes_with_the_usual_precedence) {
  EXPECT_EQ(evaluate("1 + 2 * 3"), 7);
  EXPECT_EQ(evaluate("(1 + 2) * -a.b / 4"), -4.5);
  EXPECT_EQ(evaluate("10 - 3 - 2"), 5);
}

TEST(Expression, knows_how_far_apart_two_figures_are) {
  EXPECT_EQ(evaluate("abs(2 - a.b) / a.b"), 4.0 / 6);
  EXPECT_EQ(evaluate("abs(a.b - 2) - 1"), 3);
  EXPECT_EQ(evaluate("abs(unknown)"), std::nullopt);
  EXPECT_EQ(Expression("abs(a.b - zero)").names(), (std::vector<std::string>{"a.b", "zero"}));
  EXPECT_THROW(Expression{"abs(1"}, UserError);
  EXPECT_THROW(Expression{"root(4)"}, UserError);
  // A database is not asked for it.
  EXPECT_EQ(Expression("abs(a.b)").sql([](const std::string& name) { return name; }), "");
}

TEST(Expression, has_no_value_where_a_part_has_none) {
  EXPECT_EQ(evaluate("1 / zero"), std::nullopt);
  EXPECT_EQ(evaluate("unknown + 1"), std::nullopt);
}

TEST(Expression, says_where_it_is_wrong) {
  for (const char* wrong : {"", "1 +", "(1", "1 2", "a b", "1 + )", "$", "1..2"})
    EXPECT_THROW(Expression{wrong}, UserError);
  EXPECT_THROW(Expression(std::string(100000, '(')), UserError);
  EXPECT_THROW(Expression(std::string(100000, '-')), UserError);
  try {
    Expression("1 + (2 * 3");
    FAIL();
  } catch (const UserError& error) {
    EXPECT_STREQ(error.what(), "'1 + (2 * 3', character 11: a ')' is missing here");
  }
}

RunRow sample_row(std::int64_t cycles, const char* kib) {
  RunRow row;
  row.id = cycles;
  row.fields = {{"workload", std::string("bfs")}, {"cycles", cycles}, {"design", std::string("power-d1")}};
  row.statistics = {{"gpu.sm.l1_hits", static_cast<double>(cycles) / 2}};
  row.configuration = {{"sm.l1.kib", kib}, {"sms", "15"}};
  return row;
}

TEST(Filter, compares_texts_with_wildcards_and_numbers_as_numbers) {
  const RunRow row = sample_row(100, "16");
  for (const char* text : {"workload=bfs", "design=power-*", "design=*d1", "workload!=sgemm", "cycles>=100",
                           "cycles=100.0", "sm.l1.kib<17", "gpu.sm.l1_hits/cycles=0.5", "cycles - 1 < 100"}) {
    EXPECT_TRUE(Filter(text).matches(row)) << text;
  }
  for (const char* text : {"workload=bf", "design=power", "cycles>100", "nothing<5", "nothing>5"})
    EXPECT_FALSE(Filter(text).matches(row)) << text;
  for (const char* text : {"workload", "cycles>many", "=3", ""}) EXPECT_THROW(Filter{text}, UserError) << text;
}

TEST(Table, sorts_and_prints_for_people_and_programs) {
  std::vector<RunRow> rows{sample_row(20, "16"), sample_row(3, "48"), sample_row(100, "16")};
  sort_rows(rows, "-cycles");
  const Table table = table_of(rows, {"workload", "cycles", "cycles*1.5"});
  EXPECT_EQ(to_columns(table),
            "workload  cycles  cycles*1.5\n"
            "bfs          100         150\n"
            "bfs           20          30\n"
            "bfs            3         4.5\n");
  EXPECT_EQ(to_csv(table).substr(0, 45), "workload,cycles,cycles*1.5\nbfs,100,150\nbfs,20");
  EXPECT_NE(to_json(table).find("\"cycles*1.5\": 4.5"), std::string::npos);
  EXPECT_THROW((void)table_of(rows, {"cyclez"}), UserError);
}

TEST(Table, quotes_what_csv_must_quote) {
  EXPECT_EQ(to_csv({{"a,b", "c"}, {{std::string("say \"x\""), Value()}}}), "\"a,b\",c\n\"say \"\"x\"\"\",\n");
}

TEST(Difference, names_the_parameter_and_the_counters_that_changed) {
  const RunRow a = sample_row(100, "16");
  const RunRow b = sample_row(150, "48");
  const Difference found = difference(a, b);
  ASSERT_EQ(found.asked.size(), 1u);
  EXPECT_EQ(found.asked[0].name, "sm.l1.kib");
  ASSERT_EQ(found.statistics.size(), 1u);
  EXPECT_EQ(found.statistics[0].relative, 0.5);
  const std::string text = to_text(found, a, b, 10);
  EXPECT_NE(text.find("sm.l1.kib                                        16 -> 48"), std::string::npos) << text;
  EXPECT_NE(text.find("+50.00 %"), std::string::npos) << text;
  EXPECT_NE(to_text(difference(a, a), a, a, 10).find("the same in every counter"), std::string::npos);
}

}  // namespace
}  // namespace heddle::results
