"""Operators of every rank, each with a client that is logged in."""

import pytest
from django.contrib.auth.models import Group, User
from django.test import Client


def operator(rank: str) -> User:
    user = User.objects.create_user(f"{rank}-on-duty", is_staff=True)
    user.groups.add(Group.objects.get(name=rank))
    return user


def client_of(user: User) -> Client:
    client = Client()
    client.force_login(user)
    return client


@pytest.fixture
def viewer(db) -> Client:
    return client_of(operator("view"))


@pytest.fixture
def operator_client(db) -> Client:
    return client_of(operator("operate"))


@pytest.fixture
def administrator(db) -> Client:
    return client_of(operator("administer"))


@pytest.fixture
def anonymous(db) -> Client:
    return Client()
