// Nodes of sets and lists are linked and balanced by the guest: each operation leaves a red-black tree with the right
// elements, and lists as the standard says.
#include <algorithm>
#include <cassert>
#include <cstdint>
#include <list>
#include <set>
#include <vector>

using Node = std::_Rb_tree_node_base;

// Black nodes on each way down; the same on all, and no red node has a red child.
static int height(const Node *node) {
    if (!node)
        return 0;
    int left = height(node->_M_left), right = height(node->_M_right);
    assert(left == right);
    for (const Node *child : {node->_M_left, node->_M_right})
        if (child) {
            assert(child->_M_parent == node);
            assert(node->_M_color == std::_S_black || child->_M_color == std::_S_black);
        }
    return left + (node->_M_color == std::_S_black);
}

static void check(const std::set<int> &set, const std::vector<int> &expected) {
    const Node *end = set.end()._M_node, *root = end->_M_parent;
    assert(end->_M_color == std::_S_red);
    assert(!root || (root->_M_color == std::_S_black && root->_M_parent == end));
    height(root);
    assert(std::equal(set.begin(), set.end(), expected.begin(), expected.end()));
    assert(std::equal(set.rbegin(), set.rend(), expected.rbegin(), expected.rend()));
}

static void sets() {
    std::set<int> set;
    std::vector<int> expected;
    std::uint32_t random = 7;
    for (int i = 0; i < 400; i++) {
        random = random * 1664525 + 1013904223;
        int number = (random >> 16) % 60;
        auto place = std::lower_bound(expected.begin(), expected.end(), number);
        bool found = place != expected.end() && *place == number;
        // More is inserted than erased at first, and as much later.
        if ((random >> 8) % (i < 200 ? 3 : 2)) {
            assert(set.insert(number).second == !found);
            if (!found)
                expected.insert(place, number);
        } else {
            assert(set.erase(number) == found);
            if (found)
                expected.erase(place);
        }
        check(set, expected);
    }
    while (!expected.empty()) {
        set.erase(expected[expected.size() / 2]);
        expected.erase(expected.begin() + expected.size() / 2);
        check(set, expected);
    }
}

static void is(const std::list<int> &list, const std::vector<int> &expected) {
    assert(std::equal(list.begin(), list.end(), expected.begin(), expected.end()));
    assert(std::equal(list.rbegin(), list.rend(), expected.rbegin(), expected.rend()));
}

static void lists() {
    std::list<int> list{3, 1, 2}, other{9, 8}, empty;
    list.push_front(4);
    list.push_back(5);
    is(list, {4, 3, 1, 2, 5});
    list.reverse();
    is(list, {5, 2, 1, 3, 4});
    list.sort();
    list.splice(++list.begin(), other);
    is(list, {1, 9, 8, 2, 3, 4, 5});
    is(other, {});
    list.remove(3);
    list.splice(list.begin(), list, std::prev(list.end()));
    is(list, {5, 1, 9, 8, 2, 4});
    list.splice(list.end(), list, list.begin(), std::next(list.begin(), 2));
    is(list, {9, 8, 2, 4, 5, 1});
    list.swap(empty);
    is(list, {});
    is(empty, {9, 8, 2, 4, 5, 1});
    list.swap(other);
    is(list, {});
    other.push_back(7);
    other.swap(empty);
    is(empty, {7});
    is(other, {9, 8, 2, 4, 5, 1});
}

int main() {
    sets();
    lists();
}
