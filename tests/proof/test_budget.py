from ccviz.proof.verdict import STEP, Budget


def test_a_budget_is_spent_to_the_last_look():
    budget = Budget.of(2.0)
    assert budget.left == 2.0 * STEP
    assert budget.spend(1.5 * STEP) is True
    assert budget.spend(STEP) is False
    assert budget.left == 0.5 * STEP
    assert budget.spend(0.5 * STEP) is True
    assert budget.left == 0.0
