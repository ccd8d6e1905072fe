"""One check for each function with a communicator, as C.

In the C code `@` stands for the function (`MPI_Send`, `PMPI_Send_c`), and `~` for the ending of variables that are
wider where counts are large (`counts` or `counts_c`). The code is the body of a C function that returns whether all
is as it should be.

A function that was forgotten in the preloaded library fails here, unless nothing depends on it: world has no topology
and no other side, its size is the same in any order, groups say their order themselves, and packing and barriers ask
for no rank. For these only the name in the library is looked for.
"""

# Arguments up to the communicator, and what must hold then. They make the blocking function, the one with a request,
# and the persistent one.
COLLECTIVES = {
    "Allgather": ("&mine, 1, MPI_INT, all, 1, MPI_INT", "in_order()"),
    "Allgatherv": ("&mine, 1, MPI_INT, all, counts~, displs~, MPI_INT", "in_order()"),
    "Allreduce": ("&list, &joined, 1, list_type, join", "lists(joined, size)"),
    "Alltoall": ("many, 1, MPI_INT, all, 1, MPI_INT", "transposed()"),
    "Alltoallv": ("many, counts~, displs~, MPI_INT, all, counts~, displs~, MPI_INT", "transposed()"),
    "Alltoallw": ("many, counts~, bytes~, types, all, counts~, bytes~, types", "transposed()"),
    "Bcast": ("rank == 1 ? &mine : &got, 1, MPI_INT, 1", "rank == 1 || got == 101"),
    "Exscan": ("&list, &joined, 1, list_type, join", "rank == 0 || lists(joined, rank)"),
    "Gather": ("&mine, 1, MPI_INT, all, 1, MPI_INT, 1", "rank != 1 || in_order()"),
    "Gatherv": ("&mine, 1, MPI_INT, all, counts~, displs~, MPI_INT, 1", "rank != 1 || in_order()"),
    "Reduce": ("&list, &joined, 1, list_type, join, 1", "rank != 1 || lists(joined, size)"),
    "Reduce_scatter": ("many, &got, counts~, MPI_INT, MPI_SUM", "got == 500 * size * (size - 1) + size * rank"),
    "Reduce_scatter_block": ("many, &got, 1, MPI_INT, MPI_SUM", "got == 500 * size * (size - 1) + size * rank"),
    "Scan": ("&list, &joined, 1, list_type, join", "lists(joined, rank + 1)"),
    "Scatter": ("many, 1, MPI_INT, &got, 1, MPI_INT, 1", "got == 1000 + rank"),
    "Scatterv": ("many, counts~, displs~, MPI_INT, &got, 1, MPI_INT, 1", "got == 1000 + rank"),
    # Nothing can be seen of it, except that both names mean the same communicator (see `MIXED`).
    "Barrier": ("", "1"),
}
# Even ranks call these as MPI_, odd ones as PMPI_.
MIXED = ("Barrier", "Ibarrier", "Barrier_init")
# World has no neighbours: they are those of topologies that were made of world.
NEIGHBOURHOOD = {
    "Neighbor_allgather": ("&mine, 1, MPI_INT, two, 1, MPI_INT", "from_neighbours()"),
    "Neighbor_allgatherv": ("&mine, 1, MPI_INT, two, counts~, displs~, MPI_INT", "from_neighbours()"),
    "Neighbor_alltoall": ("many, 1, MPI_INT, two, 1, MPI_INT", "between_neighbours()"),
    "Neighbor_alltoallv": ("many, counts~, displs~, MPI_INT, two, counts~, displs~, MPI_INT", "between_neighbours()"),
    "Neighbor_alltoallw": (
        "many, counts~, byte_displs, types, two, counts~, byte_displs, types", "between_neighbours()"),
}
TOPOLOGIES = ("cart", "graph", "adjacent")

SENDS = {
    "Send": "receive_first", "Ssend": "receive_first", "Bsend": "receive_first", "Rsend": "receive_first_everywhere",
}

# Each is the name without the prefix, and the C code. A `_c` function has the code of the plain one.
OTHERS = {
    "Recv": "send_first(); @(&got, 1, MPI_INT, MPI_ANY_SOURCE, 11, WORLD, &status); return sent();",
    "Irecv": """
        send_first();
        @(&got, 1, MPI_INT, MPI_ANY_SOURCE, 11, WORLD, &request);
        MPI_Wait(&request, &status);
        return sent();""",
    "Recv_init": "send_first(); @(&got, 1, MPI_INT, before, 11, WORLD, &request); start_and_wait(); return sent();",
    "Sendrecv": "@(&mine, 1, MPI_INT, next, 11, &got, 1, MPI_INT, before, 11, WORLD, &status); return came();",
    "Sendrecv_replace": "got = mine; @(&got, 1, MPI_INT, next, 11, before, 11, WORLD, &status); return came();",
    # MPICH 4.0 does not say where the message came from.
    "Isendrecv": """
        @(&mine, 1, MPI_INT, next, 11, &got, 1, MPI_INT, before, 11, WORLD, &request);
        MPI_Wait(&request, &status);
        return got == 100 + before;""",
    "Isendrecv_replace": """
        got = mine;
        @(&got, 1, MPI_INT, next, 11, before, 11, WORLD, &request);
        MPI_Wait(&request, &status);
        return got == 100 + before;""",
    "Probe": """
        send_first();
        @(MPI_ANY_SOURCE, 11, WORLD, &status);
        result = status.MPI_SOURCE == before;
        MPI_Recv(&got, 1, MPI_INT, before, 11, WORLD, &status);
        return sent() && result;""",
    "Iprobe": """
        send_first();
        for (flag = 0; !flag;) @(MPI_ANY_SOURCE, 11, WORLD, &flag, &status);
        result = status.MPI_SOURCE == before;
        MPI_Recv(&got, 1, MPI_INT, before, 11, WORLD, &status);
        return sent() && result;""",
    "Mprobe": """
        send_first();
        @(MPI_ANY_SOURCE, 11, WORLD, &message, &status);
        result = status.MPI_SOURCE == before;
        MPI_Mrecv(&got, 1, MPI_INT, &message, &status);
        return sent() && result;""",
    "Improbe": """
        send_first();
        for (flag = 0; !flag;) @(MPI_ANY_SOURCE, 11, WORLD, &flag, &message, &status);
        result = status.MPI_SOURCE == before;
        MPI_Mrecv(&got, 1, MPI_INT, &message, &status);
        return sent() && result;""",
    "Psend_init": """
        @(&mine, 1, 1, MPI_INT, next, 12, WORLD, MPI_INFO_NULL, requests);
        MPI_Precv_init(&got, 1, 1, MPI_INT, before, 12, WORLD, MPI_INFO_NULL, requests + 1);
        MPI_Startall(2, requests); MPI_Pready(0, requests[0]); MPI_Waitall(2, requests, statuses);
        MPI_Request_free(requests); MPI_Request_free(requests + 1);
        return got == 100 + before;""",
    "Precv_init": """
        MPI_Psend_init(&mine, 1, 1, MPI_INT, next, 12, WORLD, MPI_INFO_NULL, requests);
        @(&got, 1, 1, MPI_INT, before, 12, WORLD, MPI_INFO_NULL, requests + 1);
        MPI_Startall(2, requests); MPI_Pready(0, requests[0]); MPI_Waitall(2, requests, statuses);
        MPI_Request_free(requests); MPI_Request_free(requests + 1);
        return got == 100 + before;""",
    # Packing asks for no rank. All that can be seen is that the bytes come back.
    "Pack": """
        position~ = 0;
        @(&mine, 1, MPI_INT, packed, sizeof packed, &position~, WORLD);
        length = position~;
        pass_on_packed();
        position = 0;
        MPI_Unpack(packed + 128, length, &position, &got, 1, MPI_INT, WORLD);
        return came();""",
    "Unpack": """
        position = 0;
        MPI_Pack(&mine, 1, MPI_INT, packed, sizeof packed, &position, WORLD);
        length = position;
        pass_on_packed();
        position~ = 0;
        @(packed + 128, length, &position~, &got, 1, MPI_INT, WORLD);
        return came();""",
    "Pack_size": "@(3, MPI_INT, WORLD, &buffer_size~); return buffer_size~ >= 12;",
    # Communicators.
    "Comm_rank": """
        @(WORLD, &result);
        MPI_Scan(&list, &joined, 1, list_type, join, WORLD);
        return result == rank && lists(joined, result + 1);""",
    "Comm_size": "@(WORLD, &result); return result == size;",
    "Comm_group": """
        @(WORLD, &group);
        MPI_Comm_create(WORLD, group, &comm);
        MPI_Group_rank(group, &result);
        MPI_Group_free(&group);
        return same_order_and_free(&comm) && result == rank;""",
    "Comm_compare": """
        MPI_Comm_dup(WORLD, &comm);
        @(WORLD, WORLD, &result);
        @(WORLD, comm, &flag);
        @(comm, WORLD, &got);
        MPI_Comm_free(&comm);
        return result == MPI_IDENT && flag == MPI_CONGRUENT && got == MPI_CONGRUENT;""",
    "Comm_dup": "@(WORLD, &comm); return same_order_and_free(&comm);",
    "Comm_dup_with_info": "@(WORLD, MPI_INFO_NULL, &comm); return same_order_and_free(&comm);",
    "Comm_idup": "@(WORLD, &comm, &request); MPI_Wait(&request, &status); return same_order_and_free(&comm);",
    "Comm_idup_with_info": """
        @(WORLD, MPI_INFO_NULL, &comm, &request); MPI_Wait(&request, &status); return same_order_and_free(&comm);""",
    "Comm_create": """
        MPI_Comm_group(WORLD, &group);
        @(WORLD, group, &comm);
        MPI_Group_free(&group);
        return same_order_and_free(&comm);""",
    "Comm_create_group": """
        MPI_Comm_group(WORLD, &group);
        @(WORLD, group, 13, &comm);
        MPI_Group_free(&group);
        return same_order_and_free(&comm);""",
    # Equal keys leave ranks in the order of the communicator.
    "Comm_split": "@(WORLD, 0, 0, &comm); return same_order_and_free(&comm);",
    "Comm_split_type": "@(WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &comm); return same_order_and_free(&comm);",
    "Comm_test_inter": "@(WORLD, &flag); @(inter, &result); return flag == 0 && result == 1;",
    "Topo_test": "@(WORLD, &flag); @(cart, &result); return flag == MPI_UNDEFINED && result == MPI_CART;",
    "Intercomm_create": """
        @(sub, 0, WORLD, rank % 2 ? 0 : 1, 14, &comm);
        MPI_Sendrecv(&mine, 1, MPI_INT, rank / 2, 11, &got, 1, MPI_INT, rank / 2, 11, comm, &status);
        MPI_Comm_free(&comm);
        return got == 100 + (rank ^ 1);""",
    "Intercomm_merge": """
        @(inter, rank % 2, &comm);
        MPI_Comm_rank(comm, &result);
        MPI_Comm_free(&comm);
        return result == rank / 2 + rank % 2 * (size / 2);""",
    "Comm_remote_size": "@(inter, &result); return result == size / 2;",
    "Comm_remote_group": """
        MPI_Comm_group(WORLD, &group);
        @(inter, &part);
        flag = 1;
        for (int i = 0; i < size / 2; i++) {
            MPI_Group_translate_ranks(part, 1, &i, group, &result);
            flag &= result == 2 * i + 1 - rank % 2;
        }
        MPI_Group_free(&group); MPI_Group_free(&part);
        return flag;""",
    "Comm_get_name": '@(WORLD, name, &length); return !strcmp(name, "MPI_COMM_WORLD");',
    "Comm_set_name": """
        @(WORLD, "another");
        MPI_Comm_get_name(WORLD, name, &length);
        MPI_Comm_set_name(WORLD, "MPI_COMM_WORLD");
        return !strcmp(name, "another");""",
    "Comm_set_info": """
        MPI_Info_create(&info);
        MPI_Info_set(info, "mpi_assert_no_any_tag", "false");
        result = @(WORLD, info);
        MPI_Info_free(&info);
        return result == MPI_SUCCESS;""",
    "Comm_get_info": "result = @(WORLD, &info); MPI_Info_free(&info); return result == MPI_SUCCESS;",
    # Attributes: a copy of the communicator asks for those that are kept at the right one.
    "Comm_set_attr": """
        @(WORLD, keyval, &mine);
        copied = deleted = 0;
        MPI_Comm_dup(WORLD, &comm);
        MPI_Comm_free(&comm);
        MPI_Comm_delete_attr(WORLD, keyval);
        return copied == 1 && deleted == 2;""",
    "Comm_get_attr": """
        MPI_Comm_set_attr(WORLD, keyval, &mine);
        @(WORLD, keyval, &pointer, &flag);
        result = flag && pointer == &mine;
        MPI_Comm_delete_attr(WORLD, keyval);
        @(WORLD, keyval, &pointer, &flag);
        result &= !flag;
        @(WORLD, MPI_TAG_UB, &pointer, &flag);
        return result && flag && *(int *)pointer >= 32767;""",
    "Comm_delete_attr": """
        MPI_Comm_set_attr(WORLD, keyval, &mine);
        deleted = 0;
        @(WORLD, keyval);
        MPI_Comm_get_attr(WORLD, keyval, &pointer, &flag);
        return !flag && deleted == 1;""",
    "Attr_put": """
        @(WORLD, keyval, &mine);
        MPI_Comm_get_attr(WORLD, keyval, &pointer, &flag);
        MPI_Comm_delete_attr(WORLD, keyval);
        return flag && pointer == &mine;""",
    "Attr_get": """
        MPI_Comm_set_attr(WORLD, keyval, &mine);
        @(WORLD, keyval, &pointer, &flag);
        result = flag && pointer == &mine;
        MPI_Comm_delete_attr(WORLD, keyval);
        @(WORLD, MPI_TAG_UB, &pointer, &flag);
        return result && flag && *(int *)pointer >= 32767;""",
    "Attr_delete": """
        MPI_Comm_set_attr(WORLD, keyval, &mine);
        deleted = 0;
        @(WORLD, keyval);
        MPI_Comm_get_attr(WORLD, keyval, &pointer, &flag);
        return !flag && deleted == 1;""",
    # Errors.
    "Comm_set_errhandler": """
        MPI_Comm_create_errhandler(count_errors, &handler);
        @(WORLD, handler);
        MPI_Errhandler_free(&handler);
        return errors_are_handled();""",
    "Errhandler_set": """
        MPI_Comm_create_errhandler(count_errors, &handler);
        @(WORLD, handler);
        MPI_Errhandler_free(&handler);
        return errors_are_handled();""",
    "Comm_get_errhandler": """
        @(WORLD, &handler);
        result = handler == MPI_ERRORS_ARE_FATAL;
        MPI_Comm_set_errhandler(WORLD, MPI_ERRORS_RETURN);
        @(WORLD, &handler);
        result &= handler == MPI_ERRORS_RETURN;
        MPI_Comm_set_errhandler(WORLD, MPI_ERRORS_ARE_FATAL);
        return result;""",
    "Errhandler_get": """
        @(WORLD, &handler);
        result = handler == MPI_ERRORS_ARE_FATAL;
        MPI_Comm_set_errhandler(WORLD, MPI_ERRORS_RETURN);
        @(WORLD, &handler);
        result &= handler == MPI_ERRORS_RETURN;
        MPI_Comm_set_errhandler(WORLD, MPI_ERRORS_ARE_FATAL);
        return result;""",
    "Comm_call_errhandler": """
        MPI_Comm_create_errhandler(count_errors, &handler);
        MPI_Comm_set_errhandler(WORLD, handler);
        handled = 0;
        @(WORLD, MPI_ERR_OTHER);
        result = handled;
        MPI_Comm_set_errhandler(WORLD, MPI_ERRORS_ARE_FATAL);
        MPI_Errhandler_free(&handler);
        return result == 1;""",
    # Buffers of one communicator.
    "Comm_attach_buffer": """
        receive_first();
        @(WORLD, attached, sizeof attached);
        MPI_Bsend(&mine, 1, MPI_INT, next, 11, WORLD);
        result = received();
        MPI_Comm_detach_buffer(WORLD, &pointer, &length);
        return result && pointer == attached;""",
    "Comm_detach_buffer": """
        MPI_Comm_attach_buffer(WORLD, attached, sizeof attached);
        @(WORLD, &pointer, &buffer_size~);
        return pointer == attached && buffer_size~ == sizeof attached;""",
    "Comm_flush_buffer": """
        receive_first();
        MPI_Comm_attach_buffer(WORLD, attached, sizeof attached);
        MPI_Bsend(&mine, 1, MPI_INT, next, 11, WORLD);
        result = @(WORLD) == MPI_SUCCESS && received();
        MPI_Comm_detach_buffer(WORLD, &pointer, &length);
        return result;""",
    "Comm_iflush_buffer": """
        receive_first();
        MPI_Comm_attach_buffer(WORLD, attached, sizeof attached);
        MPI_Bsend(&mine, 1, MPI_INT, next, 11, WORLD);
        result = @(WORLD, &request) == MPI_SUCCESS && received();
        MPI_Wait(&request, &status);
        MPI_Comm_detach_buffer(WORLD, &pointer, &length);
        return result;""",
    # Topologies: made of world, and asked about.
    "Cart_create": """
        flag = 1;
        @(WORLD, 1, &size, &flag, 0, &comm);
        return same_order_and_free(&comm);""",
    "Cart_coords": "@(cart, rank, 1, &result); return result == rank && same_order(cart);",
    "Cart_get": "@(cart, 1, &result, &flag, &got); return result == size && flag && got == rank;",
    "Cart_map": "flag = 1; @(WORLD, 1, &size, &flag, &result); return result == rank;",
    "Cart_rank": "got = size + rank; @(cart, &got, &result); return result == rank;",
    "Cart_shift": "@(cart, 0, 1, &result, &got); return result == before && got == next;",
    "Cart_sub": "flag = 1; @(cart, &flag, &comm); return same_order_and_free(&comm);",
    "Cartdim_get": "@(cart, &result); return result == 1;",
    "Graph_create": """
        for (int i = 0; i < size; i++) { counts[i] = i + 1; displs[i] = (i + 1) % size; }
        @(WORLD, size, counts, displs, 0, &comm);
        MPI_Graph_neighbors(comm, rank, 1, &result);
        return same_order_and_free(&comm) && result == next;""",
    "Graph_get": """
        int index[MOST], edges[2 * MOST];
        @(graph, size, 2 * size, index, edges);
        return index[rank] == 2 * rank + 2 && edges[2 * rank] == before && edges[2 * rank + 1] == next;""",
    "Graph_map": """
        for (int i = 0; i < size; i++) { counts[i] = i + 1; displs[i] = (i + 1) % size; }
        @(WORLD, size, counts, displs, &result);
        return result == rank;""",
    "Graph_neighbors": "@(graph, rank, 2, two); return two[0] == before && two[1] == next && same_order(graph);",
    "Graph_neighbors_count": "@(graph, rank, &result); return result == 2;",
    "Graphdims_get": "@(graph, &result, &got); return result == size && got == 2 * size;",
    "Dist_graph_create": """
        length = 1;
        @(WORLD, 1, &rank, &length, &next, MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &comm);
        MPI_Neighbor_allgather(&mine, 1, MPI_INT, &got, 1, MPI_INT, comm);
        return same_order_and_free(&comm) && got == 100 + before;""",
    "Dist_graph_create_adjacent": """
        @(WORLD, 1, &before, MPI_UNWEIGHTED, 1, &next, MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &comm);
        MPI_Neighbor_allgather(&mine, 1, MPI_INT, &got, 1, MPI_INT, comm);
        return same_order_and_free(&comm) && got == 100 + before;""",
    "Dist_graph_neighbors": """
        int to[2];
        @(adjacent, 2, two, MPI_UNWEIGHTED, 2, to, MPI_UNWEIGHTED);
        return two[0] == before && two[1] == next && to[0] == before && to[1] == next;""",
    "Dist_graph_neighbors_count": "@(adjacent, &result, &got, &flag); return result == 2 && got == 2 && !flag;",
    # Windows and files.
    "Win_create": "@(&got, sizeof got, sizeof got, MPI_INFO_NULL, WORLD, &window); return put_arrives(&got);",
    # MPICH 4.0 puts to the wrong places of windows that are smaller.
    "Win_allocate": "@(64, sizeof got, MPI_INFO_NULL, WORLD, &pointer, &window); return put_arrives(pointer);",
    "Win_allocate_shared": """
        @(sizeof got, sizeof got, MPI_INFO_NULL, WORLD, &pointer, &window);
        *(int *)pointer = mine;
        MPI_Win_fence(0, window);
        MPI_Aint extent;
        int *other;
        MPI_Win_shared_query(window, next, &extent, &length, &other);
        got = *other;
        MPI_Win_fence(0, window);
        return put_arrives(pointer) && got == 100 + next;""",
    "Win_create_dynamic": """
        MPI_Aint here, there;
        @(MPI_INFO_NULL, WORLD, &window);
        MPI_Win_attach(window, &got, sizeof got);
        MPI_Get_address(&got, &here);
        MPI_Sendrecv(&here, 1, MPI_AINT, before, 11, &there, 1, MPI_AINT, next, 11, WORLD, &status);
        MPI_Win_fence(0, window);
        MPI_Put(&mine, 1, MPI_INT, next, there, 1, MPI_INT, window);
        MPI_Win_fence(0, window);
        result = got == 100 + before;
        MPI_Win_detach(window, &got);
        MPI_Win_free(&window);
        return result;""",
    "File_open": """
        @(WORLD, "conformance.data", MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE, MPI_INFO_NULL, &file);
        MPI_File_write_ordered(file, &mine, 1, MPI_INT, &status);
        MPI_File_sync(file); MPI_Barrier(WORLD); MPI_File_sync(file);
        MPI_File_read_at_all(file, rank * sizeof(int), &got, 1, MPI_INT, &status);
        MPI_File_get_group(file, &group);
        MPI_Group_rank(group, &result);
        MPI_Group_free(&group);
        MPI_File_close(&file);
        return got == mine && result == rank;""",
}

# Functions that no check here calls, and why.
EXEMPT = {
    "MPI_Comm_c2f": "a conversion; the number of world stays what it is (programs/world.c)",
    "MPI_Comm_toint": "a conversion; the number of world stays what it is (programs/world.c)",
    "MPI_Abort": "ends the job (programs/abort.c)",
    "MPI_Comm_spawn": "starts processes (programs/spawn.c)",
    "MPI_Comm_spawn_multiple": "starts processes (programs/spawn.c)",
    "MPI_Comm_accept": "needs a second job or a second half (programs/connect.c)",
    "MPI_Comm_connect": "needs a second job or a second half (programs/connect.c)",
}


def is_exempt(name):
    """Why no check calls the function, or nothing."""
    if name.startswith("MPIX_"):
        return "an extension: streams, threads as ranks, fault tolerance"
    return EXEMPT.get(name)


def bodies():
    """All checks: {name of the function without prefix: C code}; `_c` is added where the code is used."""
    found = dict(OTHERS)
    for name, (arguments, holds) in COLLECTIVES.items():
        before = f"{arguments}, " if arguments else ""
        found[name] = f"@({before}WORLD); return {holds};"
        found[f"I{name.lower()}"] = f"@({before}WORLD, &request); MPI_Wait(&request, &status); return {holds};"
        found[f"{name}_init"] = f"@({before}WORLD, MPI_INFO_NULL, &request); start_and_wait(); return {holds};"
    for name, (arguments, holds) in NEIGHBOURHOOD.items():
        found[name] = _each_topology(f"@({arguments}, TOPOLOGY);", holds)
        found[f"I{name.lower()}"] = _each_topology(
            f"@({arguments}, TOPOLOGY, &request); MPI_Wait(&request, &status);", holds)
        found[f"{name}_init"] = _each_topology(
            f"@({arguments}, TOPOLOGY, MPI_INFO_NULL, &request); start_and_wait();", holds)
    for name, prepare in SENDS.items():
        arguments = "&mine, 1, MPI_INT, next, 11, WORLD"
        attach = "MPI_Buffer_attach(attached, sizeof attached); " if name == "Bsend" else ""
        detach = "MPI_Buffer_detach(&pointer, &length); " if name == "Bsend" else ""
        end = f"result = received(); {detach}return result;"
        found[name] = f"{prepare}(); {attach}@({arguments}); {end}"
        found[f"I{name.lower()}"] = f"{prepare}(); {attach}@({arguments}, &request); MPI_Wait(&request, &status); {end}"
        found[f"{name}_init"] = f"{prepare}(); {attach}@({arguments}, &request); start_and_wait(); {end}"
    return found


def _each_topology(call, holds):
    parts = (f"clear(); {call.replace('TOPOLOGY', topology)} good &= {holds};" for topology in TOPOLOGIES)
    return "int good = 1;\n        " + "\n        ".join(parts) + "\n        return good;"
