"""Buffers, requests, collectives, windows and neighbours through mpi4py, 4 ranks; see `python_buffers` in expected.py."""

from mpi4py import MPI

world = MPI.COMM_WORLD
rank, ranks = world.Get_rank(), world.Get_size()
assert ranks == 4
after, before = (rank + 1) % 4, (rank + 3) % 4


def room(size):
    return bytearray(size)


# To the next: 10, 20, 30 bytes and 3 times 40.
status = MPI.Status()
request = world.Irecv(room(10), source=MPI.ANY_SOURCE, tag=MPI.ANY_TAG)
world.Send(room(10), dest=after, tag=1)
request.Wait(status)
assert status.Get_source() == before and status.Get_count(MPI.BYTE) == 10
world.Sendrecv(room(20), dest=after, recvbuf=room(20), source=before)
requests = [world.Irecv(room(30), before, 2), world.Isend(room(30), after, 2)]
MPI.Request.Waitall(requests)
sends = world.Send_init(room(40), after, 3)
receives = world.Recv_init(room(40), before, 3)
for _ in range(3):
    MPI.Prequest.Startall([receives, sends])
    MPI.Request.Waitall([receives, sends])
sends.Free()
receives.Free()
world.Send(room(5), dest=MPI.PROC_NULL)

# A type of 2 x 3 ints: 24 bytes to the next.
vector = MPI.INT.Create_vector(2, 3, 5).Commit()
world.Sendrecv([room(64), 1, vector], dest=after, recvbuf=[room(64), 1, vector], source=before)
vector.Free()

# Bcast of 50 from 3, Allreduce of 8 (in place too), Gather of 6 to 2, Allgatherv of 4 (m + 1), Barrier.
world.Bcast(room(50), root=3)
total = room(8)
world.Allreduce([room(8), MPI.LONG], [total, MPI.LONG])
world.Allreduce(MPI.IN_PLACE, [total, MPI.LONG])
world.Gather(room(6), room(24) if rank == 2 else None, root=2)
counts = [4 * (m + 1) for m in range(4)]
world.Allgatherv(room(4 * (rank + 1)), [room(40), counts])
world.Ibarrier().Wait()
world.Barrier()

# {2 0} and {3 1}: member 0 -> 1 with 60 bytes; Barrier.
half = world.Split(rank % 2, -rank)
if half.Get_rank() == 0:
    half.Ssend(room(60), dest=1)
else:
    half.Recv(room(60), source=0)
half.Barrier()
half.Free()

# A closed ring: 7 bytes to both sides.
ring = world.Create_cart([4], periods=[True])
ring.Neighbor_alltoall(room(14), room(14))
ring.Free()

# Put 11 into the next, get 12 from it.
window = MPI.Win.Create(room(64), comm=world)
window.Fence()
window.Put(room(11), after)
window.Get(room(12), after, 32)
window.Fence()
window.Free()

MPI.Finalize()
if rank == 0:
    print("done")
