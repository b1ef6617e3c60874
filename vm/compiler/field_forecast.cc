// SPDX-License-Identifier: MIT
#include "field_forecast.h"

#include <algorithm>
#include <vector>

namespace neap::vm {
namespace {

// Fields beyond that are worth no guess: such a table is a module, made once.
constexpr size_t kMaxForecast = 16;
// Statements looked at for one constructor. More would find a field in rare code, and make the time
// for a block of n constructors grow with n * n.
constexpr int kMaxStatements = 64;

class Forecast {
 public:
  Forecast(const Local& local, const TableConstructor& table) : local_(local) {
    const size_t items = std::min(table.items.size(), kMaxForecast);
    for (const TableItem& item : table.items.first(items)) {
      if (item.key != nullptr && item.key->kind == ExprKind::kString) Add(*item.key);
    }
    present_ = names_.size();
  }

  // False: the variable is another table from here on, or enough was seen.
  bool Scan(std::span<Stat* const> statements) {
    for (const Stat* stat : statements) {
      if (++statements_ > kMaxStatements || found() >= kMaxForecast) return false;
      if (stat->kind == StatKind::kAssign && !ScanAssign(As<const Assign>(*stat))) return false;
      if (stat->kind == StatKind::kIf && !ScanIf(As<const If>(*stat))) return false;
    }
    return true;
  }

  size_t found() const { return names_.size() - present_; }

 private:
  bool IsVariable(const Expr& expr) const {
    return expr.kind == ExprKind::kLocal && As<const LocalRef>(expr).local == &local_;
  }

  void Add(const Expr& key) {
    const Symbol* name = As<const Literal>(key).text;
    if (std::find(names_.begin(), names_.end(), name) == names_.end()) names_.push_back(name);
  }

  bool ScanAssign(const Assign& stat) {
    for (const Expr* target : stat.targets) {
      if (IsVariable(*target)) return false;
      if (target->kind != ExprKind::kIndex) continue;
      const Index& index = As<const Index>(*target);
      if (IsVariable(*index.object) && index.key->kind == ExprKind::kString) Add(*index.key);
    }
    return true;
  }

  bool ScanIf(const If& stat) {
    for (const IfClause& clause : stat.clauses) {
      if (!Scan(clause.body->statements)) return false;
    }
    return stat.otherwise == nullptr || Scan(stat.otherwise->statements);
  }

  const Local& local_;
  std::vector<const Symbol*> names_;
  size_t present_ = 0;
  int statements_ = 0;
};

}  // namespace

int ForecastFields(const Local& local, const TableConstructor& table,
                   std::span<Stat* const> following) {
  Forecast forecast(local, table);
  forecast.Scan(following);
  return static_cast<int>(std::min(forecast.found(), kMaxForecast));
}

}  // namespace neap::vm
