// SPDX-License-Identifier: MIT
//
// Binary trees on malloc: build, count and free many trees, while one large tree lives.
//
//   peer_trees DEPTH       prints one RESULT line: seconds, the sum of all counts
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>

namespace {

struct Node {
  Node* left;
  Node* right;
};

Node* Build(int depth) {
  Node* node = new Node{nullptr, nullptr};
  if (depth > 0) {
    node->left = Build(depth - 1);
    node->right = Build(depth - 1);
  }
  return node;
}

uint64_t Count(const Node* node) {
  return node->left == nullptr ? 1 : 1 + Count(node->left) + Count(node->right);
}

void Free(Node* node) {
  if (node->left != nullptr) {
    Free(node->left);
    Free(node->right);
  }
  delete node;
}

uint64_t BuildAndCount(int depth) {
  Node* tree = Build(depth);
  const uint64_t count = Count(tree);
  Free(tree);
  return count;
}

}  // namespace

int main(int argc, char** argv) {
  const int depth = argc > 1 ? std::atoi(argv[1]) : 18;
  const auto start = std::chrono::steady_clock::now();
  uint64_t sum = BuildAndCount(depth + 1);
  Node* kept = Build(depth);
  for (int d = 4; d <= depth; d += 2) {
    for (int i = 0; i < 1 << (depth - d + 4); ++i) sum += BuildAndCount(d);
  }
  sum += Count(kept);
  Free(kept);
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
  std::printf("RESULT s=%.5f chk=%llu\n", seconds.count(), static_cast<unsigned long long>(sum));
}
