"""A teacher for hire: a language model that labels the pages whose labels help most."""

from clew.services.teacher.service import TeacherService, next_page
from clew.services.teacher.setup import check_teacher, make_teacher, make_teacher_service
from clew.services.teacher.teacher import Teacher, TeacherStopped

__all__ = [
    "Teacher",
    "TeacherService",
    "TeacherStopped",
    "check_teacher",
    "make_teacher",
    "make_teacher_service",
    "next_page",
]
