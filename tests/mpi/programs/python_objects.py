"""Objects that mpi4py pickles, 4 ranks, ended by the interpreter's own exit; see `python_objects` in expected.py.

A received object comes through MPI_Mprobe and MPI_Mrecv; a message is as long as its pickle.
"""

from mpi4py import MPI

world = MPI.COMM_WORLD
rank = world.Get_rank()
after, before = (rank + 1) % 4, (rank + 3) % 4

message = {"numbers": list(range(100)), "text": "x" * 1000}
request = world.isend(message, dest=after, tag=1)
assert world.recv(source=before, tag=1) == message
request.wait()
assert world.sendrecv("y" * 50, dest=after, source=MPI.ANY_SOURCE) == "y" * 50
if rank == 0:
    print("done")
