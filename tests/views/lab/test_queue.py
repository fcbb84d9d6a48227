from ccviz.views.lab.queue import RunQueue


def test_the_first_few_may_run_and_the_others_move_up():
    queue = RunQueue(limit=2)
    first, second, third, fourth = (queue.join() for _ in range(4))
    assert [ticket.waiting for ticket in (first, second, third, fourth)] == [0, 0, 1, 2]
    first.release()
    assert third.waiting == 0
    assert fourth.waiting == 1
    third.release()
    third.release()
    assert len(queue) == 2
